/* SPDX-License-Identifier: Apache-2.0 */
/* hidetc of a wheel: the compiler itself is in libhidet.so, once. */
int hidet_program(int argc, char** argv);

int main(int argc, char** argv) {
    return hidet_program(argc, argv);
}
