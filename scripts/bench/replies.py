"""Reads mutated lists, and counts the records that are used, and those neither used nor counted.

    python scripts/bench/replies.py [NUMBER [START]]

NUMBER is the number of replies (default: 100,000), START the first seed (default: 0).

It prints the shares that are used and lost, and the seeds of the first replies with a lost record.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.mutated_lists import lost, mutated_list, used

SHOWN = 20  # replies with a lost record


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    records, kept, missing, began = 0, 0, list[tuple[int, int]](), time.process_time()
    for seed in range(start, start + number):
        whole = mutated_list(seed)
        records += len(whole.records)
        kept += used(whole)
        if missed := lost(whole):
            missing.append((seed, len(missed)))
    seconds = time.process_time() - began
    total = sum(count for _, count in missing)
    print(f"{number:,} replies with {records:,} records were read in {seconds:.0f} s.")
    print(f"{kept / records:.2%} of the records were used.")
    print(f"{total:,} records ({total / records:.3%}) were neither used nor counted.")
    for seed, count in missing[:SHOWN]:
        print(f"  seed {seed}: {count}")


if __name__ == "__main__":
    main()
