/* SPDX-License-Identifier: Apache-2.0 */
typedef int hidet_runtime_is_a_library; /* what is in it comes from the archive */
