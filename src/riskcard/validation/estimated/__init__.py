"""Cards of counts, numbers and levels judged on rows that they were not learned from."""
