# SPDX-License-Identifier: Apache-2.0
# How tests become ctest entries. Labels are folders, exit code 77 is a skip.
set(HIDET_PYTHON python3)

# One golden file, read by tests/harness/golden.py. Its output is compared; see tests/harness/README.md.
function(hidet_golden_test file)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${CMAKE_SOURCE_DIR}/tests OUTPUT_VARIABLE shown)
  string(REGEX REPLACE "\\.txt$" "" name ${shown})
  add_test(NAME ${name}
    COMMAND ${HIDET_PYTHON} -I -S ${CMAKE_SOURCE_DIR}/tests/harness/golden.py
      --bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${file})
  hidet_label_test(${name} 120)
endfunction()

# One script that checks itself: exit code 0 of `hidetc run` is a pass.
function(hidet_run_test file base)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${base} OUTPUT_VARIABLE name)
  string(REGEX REPLACE "\\.py$" "" name ${name})
  add_test(NAME ${name} COMMAND hidetc run ${file})
  hidet_label_test(${name} 300)
endfunction()

# The same with every check of the emulator: a kernel that is right has no findings.
function(hidet_checked_test file base)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${base} OUTPUT_VARIABLE name)
  string(REGEX REPLACE "\\.py$" "" name ${name})
  add_test(NAME checked/${name} COMMAND hidetc emulate ${file})
  hidet_label_test(checked/${name} 300)
endfunction()

# The same as C++ for the CPU, or refused: tests/harness/on_cpu.py.
function(hidet_cpu_test file base)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${base} OUTPUT_VARIABLE name)
  string(REGEX REPLACE "\\.py$" "" name ${name})
  add_test(NAME cpu/${name}
    COMMAND ${HIDET_PYTHON} -I -B ${CMAKE_SOURCE_DIR}/tests/harness/on_cpu.py --bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${file})
  hidet_label_test(cpu/${name} 300)
endfunction()

# Wrong variants of one script, which the emulator has to find; see tests/harness/variants.py.
function(hidet_variants_test file)
  cmake_path(GET file STEM name)
  add_test(NAME variants/${name}
    COMMAND ${HIDET_PYTHON} -I -B ${CMAKE_SOURCE_DIR}/tests/harness/variants.py --bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${file})
  hidet_label_test(variants/${name} 300)
endfunction()

# One check of the house: a Python program that prints what is wrong.
function(hidet_lint_test file)
  cmake_path(GET file STEM name)
  string(REGEX REPLACE "^check_" "lint/" name ${name})
  add_test(NAME ${name}
    COMMAND ${HIDET_PYTHON} -I -B ${file} --build ${CMAKE_BINARY_DIR})
  hidet_label_test(${name} 300)
endfunction()

# One Python program of tests.
function(hidet_python_test name file)
  add_test(NAME ${name} COMMAND ${HIDET_PYTHON} -I -B ${file})
  hidet_label_test(${name} 300)
endfunction()

# The program of a layer's C++ tests, which are doctest's (tests/harness/unit_main.cpp is its main program). SOURCES are what
# its tests share.
#   hidet_unit_program(ir SOURCES ir/random_module.cpp USES hidet_ir)
function(hidet_unit_program layer)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(unit_${layer} ${ARG_SOURCES})
  target_link_libraries(unit_${layer} PRIVATE hidet_options unit_main ${ARG_USES})
endfunction()

# One file of it, and the entry that runs the cases of that file: unit/ir/text, unless it is named otherwise.
#   hidet_unit_test(ir ir/text_test.cpp)
function(hidet_unit_test layer source)
  string(REGEX REPLACE "_test.cpp$" "" name ${source})
  if(ARGC GREATER 2)
    set(name ${ARGV2})
  endif()
  target_sources(unit_${layer} PRIVATE ${source})
  add_test(NAME unit/${name} COMMAND unit_${layer} --source-file=*/unit/${source})
  hidet_label_test(unit/${name} 300)
endfunction()

function(hidet_label_test name timeout)
  cmake_path(GET name PARENT_PATH folder)
  string(REPLACE "/" ";" labels "${folder}")
  if(HIDET_SANITIZE) # slower by as much, and what foreign libraries leak is no finding of ours
    math(EXPR timeout "${timeout} * 5")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT
      "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/harness/leaks.txt:print_suppressions=0")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout} SKIP_RETURN_CODE 77)
endfunction()
