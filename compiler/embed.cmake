# SPDX-License-Identifier: Apache-2.0
# Text files as constants of a C++ source, at build time:
#   cmake -DOUTPUT=FILE -DROOT=FOLDER -DNAMESPACE=hidet::compiler "-DFILES=codegen/cuda/prelude/half.cuh ..." -P embed.cmake
# The constant of codegen/cuda/prelude/half.cuh is `cuda_half_cuh`.
separate_arguments(files UNIX_COMMAND "${FILES}")
set(text "#include <string_view>\n\nnamespace ${NAMESPACE} {\n")
foreach(file ${files})
  file(READ ${ROOT}/${file} content)
  string(REGEX REPLACE "(\\.\\./lang|codegen|prelude|manual)/" "" name ${file})
  string(REGEX REPLACE "[/.]" "_" name ${name})
  string(APPEND text "extern const std::string_view ${name};\nconst std::string_view ${name} = R\"~~~(${content})~~~\";\n")
endforeach()
string(APPEND text "} // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${text}")
