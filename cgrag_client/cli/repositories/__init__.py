"""Commands about repositories and what is indexed of them."""
