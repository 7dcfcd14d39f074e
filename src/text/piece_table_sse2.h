#pragma once

#include "text/piece_table.h"

namespace text {

/// PieceTable::Find for any processor (x86-64 has SSE2).
void PieceTableFindSse2(const PieceTable& table, std::span<const std::string_view> words,
                        PieceTable::Found& found);

}  // namespace text
