"""The process that fits: started and stopped, given rows and jobs in files and lines, and heard of."""
