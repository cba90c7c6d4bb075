"""The referee: sessions, matches, clocks, journal, records, watchers."""
