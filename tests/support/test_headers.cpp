// Holds nothing: the target of this file keeps the precompiled headers of all tests (../CMakeLists.txt).
