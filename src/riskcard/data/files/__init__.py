"""Tables from files: delimited text, Excel, Parquet, SPSS, Stata and SAS."""
