"""`python -m ranking.spark`, or `spark-submit ranking/spark/__main__.py`."""

import sys

from ranking.spark.command import main

if __name__ == "__main__":
    sys.exit(main())
