import argparse
import json
import pathlib
import subprocess
import whisper


def to_wav(path):
    out = path.with_suffix(".16k.wav")
    if not out.exists():
        subprocess.run(["ffmpeg", "-loglevel", "error", "-i", str(path), "-ar", "16000", "-ac", "1", str(out)], check=True)
    return out


def seconds(ts):
    h, rest = divmod(int(ts), 3600)
    return f"{h:02}:{rest // 60:02}:{rest % 60:02}"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--size", default="medium")
    p.add_argument("--language")
    args = p.parse_args()
    done, failed = [], []
    for path in sorted(args.folder.glob("*.m4a")):
        try:
            wav = to_wav(path)
        except subprocess.CalledProcessError:
            failed.append(path.name)
            continue
        model = whisper.load_model(args.size, device="cuda")
        result = model.transcribe(str(wav), language=args.language)
        lines = [f"[{seconds(s['start'])}] {s['text'].strip()}" for s in result["segments"]]
        path.with_suffix(".txt").write_text("\n".join(lines))
        done.append({"file": path.name, "language": result["language"]})
    json.dump({"done": done, "failed": failed}, open(args.folder / "index.json", "w"), indent=1)


if __name__ == "__main__":
    main()
