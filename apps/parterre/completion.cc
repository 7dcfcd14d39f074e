#include "completion.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

Offer WhatToOffer(const FlagDescription& flag) {
  if (!flag.choices.empty()) return Offer::kChoices;
  if (flag.value == "FILE") return Offer::kFiles;
  if (flag.value == "MODEL" || flag.value == "FOLDER") return Offer::kFolders;
  return Offer::kNothing;
}

std::string ShellQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", R"('\'')"}}), "'");
}
