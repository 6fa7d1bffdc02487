"""`scenemind bench`: from a memory to answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.bench.named import bench_named
from scenemind.cli.bench.result_table import show_result
from scenemind.cli.options import AsJson, DetectorName

app = typer.Typer()


@app.command("relations", epilog="Example: scenemind bench relations --json")
def _relations(
    rounds: Annotated[int, typer.Option(min=1, help="How often each thing is measured.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Relate simulated rooms of 200 and 2,000 objects, from scratch and after one change.

    Milliseconds are medians; of lookups by words and of relation queries over 40 objects with 2,000
    points each, the slowest one's.
    """
    show_result("relations", bench_named("relations")(rounds), as_json)


@app.command("programs", epilog="Example: scenemind bench programs --json")
def _programs(
    rounds: Annotated[int, typer.Option(min=1, help="How often each thing is measured.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Run programs as language models write them, and correct them, in a room of 40 objects.

    Milliseconds are medians without any model's own time: of a question by LLM-TPC with a mistake
    in its first program (machinery_llm_tpc_ms), without one (right), and with one that the type
    checker looks at (checked); of a question by VADAR with a mistake in its first program, and with
    a method that is learned for it (learning); and of one program that does nothing in the sandbox.
    """
    show_result("programs", bench_named("programs")(rounds), as_json)


@app.command("grounding", epilog="Example: scenemind bench grounding --json")
def _grounding(
    frames: Annotated[int, typer.Option(min=10, help="Stored frames of 640x480.")] = 1000,
    queries: Annotated[int, typer.Option(min=1, help="How many things are looked for.")] = 24,
    as_json: AsJson = False,
) -> None:
    """Ground phrases in the stored frames of a simulated drive, as VLM-Grounder does.

    Milliseconds are medians for a phrase, in all and by stage, without any model's own time, and
    without the segmenter's; "images" were shown on its sheets, and "views" measured.
    """
    show_result("grounding", bench_named("grounding")(frames, queries), as_json)


@app.command("keyframes", epilog="Example: scenemind bench keyframes --picture times.svg")
def _keyframes(
    questions: Annotated[int, typer.Option(min=1, help="About objects of the rooms.")] = 200,
    rooms: Annotated[int, typer.Option(min=1, help="How many simulated rooms.")] = 8,
    noise: Annotated[bool, typer.Option("--noise", help="Let the detector err.")] = False,
    detector_ms: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            help="What a detector takes for a frame, to compare with.",
            show_default="measured where weights are here, else 40",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="SVG file for the times as curves.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Choose frames for questions: how long that takes after an hour, and what they show.

    Milliseconds are without any model's own time. Rates are of questions about single objects of
    simulated rooms, with an oracle in place of the language model.
    """
    result = bench_named("keyframes")(
        questions, rooms, noise=noise, detector_ms=detector_ms, picture=picture
    )
    show_result("keyframes", result, as_json)


@app.command("stitching", epilog="Example: scenemind bench stitching --json")
def _stitching(
    rounds: Annotated[int, typer.Option(min=1, help="How often each thing is measured.")] = 15,
    as_json: AsJson = False,
) -> None:
    """Draw 84 pictures on six sheets with their ids, and read the ids back.

    Seconds are medians, from JPEG files to JPEG files.
    """
    show_result("stitching", bench_named("stitching")(rounds), as_json)


@app.command("evaluation", epilog="Example: scenemind bench evaluation --json")
def _evaluation(
    rows: Annotated[int, typer.Option(min=1, help="Predictions of each kind.")] = 10_000,
    as_json: AsJson = False,
) -> None:
    """Score made predictions as scenemind eval does, with breakdowns and confidence intervals.

    Seconds for all of a kind, without models and METEOR: groundings (nr3d, scanrefer), answers by
    all matches (sqa3d), judged ones (openeqa), numbers (omni3d); where pycocoevalcap and Java are
    here, BLEU, ROUGE-L and CIDEr with their tokenizer as well.
    """
    show_result("evaluation", bench_named("evaluation")(rows), as_json)


@app.command("projection", epilog="Example: scenemind bench projection --targets 60 --json")
def _projection(
    targets: Annotated[int, typer.Option(min=1, help="Things in simulated rooms.")] = 300,
    sequence: Annotated[
        str | None,
        typer.Option(help="Measure the things of a recording instead.", show_default=False),
    ] = None,
    detector: DetectorName = None,
    pictures: Annotated[
        Path | None,
        typer.Option(help="Folder for pictures of the recording's things.", show_default=False),
    ] = None,
    calibrate: Annotated[
        Path | None,
        typer.Option(help="YAML file for how likely boxes are right.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure boxes from masks: how long it takes, and how near they are to the true ones.

    IoU is with true boxes, hidden sides included: its mean, and the share above 0.5 (iou_50). Masks
    are exact; "stereo" has a depth camera that errs like one, "visible" is the best that can be
    seen, and "ablation" has coarse masks and adds one operation after the other (paper, Table 5).

    Of a recording: boxes made from every second stored frame, against what is detected in others:
    the IoU of a detection with the box as it is seen there (of the map's box: map_iou), and the
    share of it that the box covers. Things that are hidden in part lower both IoUs.

    To calibrate: which boxes are right (IoU above 0.5), by what is known of them, in simulated
    rooms with errors of several kinds; and how well that holds in rooms that were held out.
    """
    result = bench_named("projection")(targets, sequence, detector, pictures, calibrate)
    show_result("projection", result, as_json)
