"""The same paged cache in torch: block tables from `walkthrough.paging`, K and V on any device."""
