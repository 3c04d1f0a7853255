// SPDX-License-Identifier: MIT
//
// The one source of the target whose precompiled headers all test programs use.
