"""What holds for every server that is spoken to, whichever library speaks to it."""
