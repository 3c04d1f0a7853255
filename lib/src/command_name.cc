// SPDX-License-Identifier: MIT
#include "src/command_name.h"

#include <algorithm>

namespace interlock::internal {

bool IsNamed(std::string_view command, std::string_view upper) {
  return std::equal(command.begin(), command.end(), upper.begin(), upper.end(),
                    [](char given, char wanted) {
                      const bool lower = given >= 'a' && given <= 'z';
                      return (lower ? static_cast<char>(given - 'a' + 'A') : given) == wanted;
                    });
}

}  // namespace interlock::internal
