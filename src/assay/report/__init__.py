"""Reports: what is said of results, as displays and as one page that opens offline."""
