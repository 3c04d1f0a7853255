// SPDX-License-Identifier: MIT
#include <interlock/harness/main.h>

int main(int argc, char** argv) { return interlock::harness::Main(argc, argv); }
