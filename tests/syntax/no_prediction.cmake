# SPDX-License-Identifier: Apache-2.0
# Fails if the generated parser ever predicts: then an alternative of the grammar needs more than one token.
file(STRINGS ${PARSER} calls REGEX "adaptivePredict")
file(STRINGS ${PARSER} rules REGEX "enterRule")
list(LENGTH rules count)
if(calls OR count LESS 40)
  message(FATAL_ERROR "the grammar is not LL(1) (or ${PARSER} is no parser):\n${calls}")
endif()
