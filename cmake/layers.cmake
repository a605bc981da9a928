# SPDX-License-Identifier: Apache-2.0
# One static library per layer. The folder's CMakeLists lists its sources; tests/lint checks that none is forgotten and
# that includes point one way.
add_library(hidet_options INTERFACE)
target_include_directories(hidet_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(hidet_options INTERFACE
  -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(HIDET_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(HIDET_PORTABLE)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

function(hidet_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC hidet_options ${ARG_USES})
endfunction()
