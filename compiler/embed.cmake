# SPDX-License-Identifier: Apache-2.0
# Text files as constants of a C++ source, at build time:
#   cmake -DOUTPUT=FILE -DROOT=FOLDER -DNAMESPACE=hidet::compiler "-DFILES=codegen/cuda/prelude/half.cuh ..." -P embed.cmake
# The constant of codegen/cuda/prelude/half.cuh is `cuda_half_cuh`. With -DLIST=all_files there is also a function of that name,
# which gives the last part of each path with its text.
separate_arguments(files UNIX_COMMAND "${FILES}")
set(text "#include <string_view>\n#include <utility>\n#include <vector>\n\nnamespace ${NAMESPACE} {\n")
foreach(file ${files})
  file(READ ${ROOT}/${file} content)
  string(REGEX REPLACE "(\\.\\./(lang|schedule)|\\.\\.|codegen|prelude|manual|templates)/" "" name ${file})
  string(REGEX REPLACE "[/.]" "_" name ${name})
  string(APPEND text "extern const std::string_view ${name};\nconst std::string_view ${name} = R\"~~~(${content})~~~\";\n")
  get_filename_component(last ${file} NAME)
  string(APPEND rows "{\"${last}\", ${name}},\n")
endforeach()
if(LIST)
  string(APPEND text "std::vector<std::pair<std::string_view, std::string_view>> ${LIST}();\n"
    "std::vector<std::pair<std::string_view, std::string_view>> ${LIST}() {\nreturn {${rows}};\n}\n")
endif()
string(APPEND text "} // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${text}")
