"""`python -m graphrag_neo4j.cli` is `kg-build`."""

from graphrag_neo4j.cli import main

if __name__ == "__main__":
    main()
