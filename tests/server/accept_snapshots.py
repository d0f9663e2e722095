"""Make the tools as they are now the snapshots: `python -m tests.server.accept_snapshots`."""

from tests.server.snapshot_files import FOLDER, listed


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    snapshots = listed()
    for path in FOLDER.glob("*.json"):
        if path.stem not in snapshots:
            path.unlink()
            print(f"removed {path.name}")
    for name, text in snapshots.items():
        (FOLDER / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")
        print(f"accepted {name}.json")


if __name__ == "__main__":
    main()
