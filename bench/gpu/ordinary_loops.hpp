// Loops as ordinary programs have them, over parts of one GPU: a part of loops_bench.
#pragma once

namespace bench {

/// Dear items that lie together: a first and a third Job, against one plain kernel over the same multiprocessors.
void clustered();

/// A program's own kernel whose item is a block's work, a quarter of them ten times longer: against one launch of all.
void tiles();

/// The same loop over parts of the GPU alone, and with eight cores of the host beside them.
void mixed();

}  // namespace bench
