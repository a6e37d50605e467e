# shellcheck shell=bash disable=SC2154
# The report of first-node.sh, to be sourced: write_report makes $report of $work/answers and of the steps' outputs.

# Names of this machine and of its user, folders, and numbers of single cards are nobody's business.
without_names() {
  local host
  host=$(uname -n)
  sed -E -e 's/GPU-[0-9a-fA-F-]{8,}/GPU-(left out)/g' \
    -e 's/(serial|unique_?id|uuid)([^A-Za-z0-9]+)[0-9a-fxA-FX-]{6,}/\1\2(left out)/Ig' |
    BUILD=$build FOLDER=$source HOME_FOLDER=${HOME:-} HOST=$host SHORT=${host%%.*} PERSON=$(id -un) awk '
      # Of whole words only; names that anybody has tell nothing.
      function replace(text, old, new,   place, done, around) {
        if (length(old) < 2 || old ~ /^(root|skua|node|gpu|host|localhost)$/) return text
        while (place = index(text, old)) {
          around = substr(" " text, place, 1) substr(text, place + length(old), 1)
          done = done substr(text, 1, place - 1) (around ~ /[A-Za-z0-9_]/ ? old : new)
          text = substr(text, place + length(old))
        }
        return done text
      }
      {
        line = replace(replace($0, ENVIRON["BUILD"], "BUILD"), ENVIRON["FOLDER"], "SKUA")
        line = replace(replace(line, ENVIRON["HOME_FOLDER"], "HOME"), ENVIRON["HOST"], "HOST")
        print replace(replace(line, ENVIRON["SHORT"], "HOST"), ENVIRON["PERSON"], "USER")
      }'
}

summary() {
  awk -F ' [|] ' '
    { agrees[NR] = $4; question[NR] = $1; assumed[NR] = $2; found[NR] = $3; otherwise[NR] = $5; count[$4]++
      if ($4 == "NO") others = others "\n  " $1 }
    END {
      printf "%d questions: %d as assumed, %d otherwise, %d without a yes or no.\n", NR, count["yes"], count["NO"], count["-"]
      if (others) print "Otherwise:" others
      print "\nagrees  question"
      for (i = 1; i <= NR; ++i) {
        printf "%-6s  %s\n          assumed  %s\n          found    %s\n", agrees[i], question[i], assumed[i], found[i]
        printf "          %s %s\n", agrees[i] == "yes" ? "were it not:" : "to change:", otherwise[i]
      }
    }' "$work/answers"
}

# The beginning and the end of what is too long to send.
shortened() {
  local lines_max=600 lines
  lines=$(wc -l <"$1")
  if [ "$lines" -le $lines_max ]; then
    cat "$1"
  else
    head -n 400 "$1"
    echo "... $((lines - lines_max)) lines left out ..."
    tail -n $((lines_max - 400)) "$1"
  fi
}

write_report() {
  touch "$work/answers"
  {
    echo "skua on a node it has not seen before"
    echo
    echo "skua $(git -C "$source" describe --always --dirty 2>/dev/null || echo "(no git)"), preset $preset, $(date -u +%Y-%m-%d), $SECONDS s, architectures ${architectures:-of NVIDIA}"
    echo "F and a number: findings of the review of skua's AMD backend, by which its developers speak of them."
    printf '\n1. Answers\n\n'
    summary
    printf '\n2. Steps\n\n'
    cat "$work"/*.title
    local section=3 file
    for file in "$work"/[0-9][0-9][0-9]; do
      [ -s "$file" ] || continue
      printf '\n%d. %s\n\n' $section "$(cat "$file.title")"
      shortened "$file"
      section=$((section + 1))
    done
    printf '\n%d. What this file holds\n\n' $section
    echo "Models, addresses, links and settings of CPUs and GPUs; versions of kernel, drivers, compilers and libraries; variables that"
    echo "choose GPUs or tune their runtime; the rights of the devices' files; what the programs above printed. Left out: the"
    echo "names of the machine, its user and folders, serial numbers and unique ids of cards, and what else runs here."
  } | without_names >"$report"
  echo "first-node.sh: $report" >&2
}
