// SPDX-License-Identifier: MIT
//
// Independent pieces of work on several guarded threads. Which thread takes which piece is left to
// chance, so the result of a piece must not depend on it.
#pragma once

#include <cstddef>
#include <functional>

namespace interlock::scenarios {

using Piece = std::function<void(std::size_t index)>;

/// Runs piece(0), ..., piece(count - 1). Each thread makes a Piece of its own with `new_piece`, for
/// what it keeps between pieces. `tick` is called now and then from the calling thread.
void InParallel(int jobs, std::size_t count, const std::function<Piece()>& new_piece,
                const std::function<void()>& tick);

}  // namespace interlock::scenarios
