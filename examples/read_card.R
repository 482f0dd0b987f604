# Score rows in R with a card that riskcard saved as JSON. Needs the package jsonlite.
#
#   source("read_card.R")
#   card <- read_card("card.json")
#   score_card(card, patients)                      # a data frame: total and risk of each row
#
# or, from a shell:  Rscript read_card.R card.json patients.csv > risks.csv

read_card <- function(path) {
  # lists stay lists, so that 1, "1" and TRUE remain three different levels
  card <- jsonlite::fromJSON(path, simplifyVector = FALSE)
  if (!identical(card$format, "riskcard") || card$format_version != 8) {
    stop("'", path, "' is not a card of format version 8.")
  }
  card
}

score_card <- function(card, rows) {
  total <- rep(card$base, nrow(rows))
  for (feature in card$features) {
    if (!feature$name %in% names(rows)) {
      stop("The card needs the column '", feature$name, "'.")
    }
    total <- total + points_of(feature, rows[[feature$name]])
  }
  data.frame(total = total, risk = plogis(total / card$multiplier + card$offset))
}

# Points of each value of one column.
points_of <- function(feature, values) {
  if (is.factor(values)) values <- as.character(values)
  worth <- unlist(feature$points)
  is_missing <- is.na(values)
  points <- if (is.null(feature$groups)) {
    points_of_numbers(feature, values)
  } else {
    points_of_levels(feature, values)
  }
  points[is_missing] <- if (is.null(feature$missing)) NA else feature$missing
  if (anyNA(points)) {
    is_guess <- is.na(points)
    if (is.null(feature$usual)) {
      stop("The card has no points for ", sum(is_guess), " values of '", feature$name, "'.")
    }
    warning(
      "Training had no such values of '", feature$name, "' as in ", sum(is_guess),
      " rows: they get the points of the bin with most training rows."
    )
    points[is_guess] <- worth[feature$usual + 1]
  }
  points
}

points_of_numbers <- function(feature, values) {
  if (!is.numeric(values) && !is.logical(values)) stop("'", feature$name, "' is not numeric.")
  if (any(is.infinite(values))) stop("'", feature$name, "' is infinite in some rows.")
  cuts <- as.numeric(unlist(feature$cuts))
  # a value at a cut is below it
  place <- if (length(cuts) > 0) findInterval(values, cuts, left.open = TRUE) else 0 * values
  points <- unlist(feature$points)[place + 1]
  for (code in feature$codes) points[which(values == code$value)] <- code$points
  points
}

points_of_levels <- function(feature, values) {
  points <- rep(NA_real_, length(values))
  for (place in seq_along(feature$groups)) {
    for (level in feature$groups[[place]]) {
      points[which(is_level(values, level, feature))] <- feature$points[[place]]
    }
  }
  points
}

# A text is only equal to a text. Where all levels are TRUE or FALSE, 1 and 0 mean them too.
is_level <- function(values, level, feature) {
  all_logical <- all(vapply(unlist(feature$groups, recursive = FALSE), is.logical, logical(1)))
  same_kind <- (is.character(level) && is.character(values)) ||
    (is.logical(level) && (is.logical(values) || (all_logical && is.numeric(values)))) ||
    (is.numeric(level) && is.numeric(values))
  if (same_kind) values == level else rep(FALSE, length(values))
}

arguments <- commandArgs(trailingOnly = TRUE)
if (sys.nframe() == 0 && length(arguments) == 2) {
  rows <- read.csv(arguments[2], check.names = FALSE)
  scores <- score_card(read_card(arguments[1]), rows)
  scores$risk <- format(scores$risk, digits = 17, trim = TRUE)
  write.csv(scores, row.names = FALSE, quote = FALSE)
}
