#pragma once

#include "text/piece_table.h"

namespace text {

/// PieceTable::Find for processors with AVX2.
void PieceTableFindAvx2(const PieceTable& table, std::span<const std::string_view> words,
                        PieceTable::Found& found);

}  // namespace text
