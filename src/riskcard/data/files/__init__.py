"""Tables from files: CSV as people write it, and Parquet."""
