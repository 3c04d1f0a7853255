// SPDX-License-Identifier: MIT
//
// Independent pieces of work on several guarded threads. The assignment of pieces to threads is
// arbitrary, so results must not depend on it.
#pragma once

#include <cstddef>
#include <functional>

namespace interlock::scenarios {

using Piece = std::function<void(std::size_t index)>;

/// Runs piece(0), ..., piece(count - 1). Each thread makes its own Piece with `new_piece`, for
/// state kept between pieces. The calling thread calls `tick` now and then.
void InParallel(int jobs, std::size_t count, const std::function<Piece()>& new_piece,
                const std::function<void()>& tick);

}  // namespace interlock::scenarios
