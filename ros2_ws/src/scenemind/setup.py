"""Packaging of the library, for pip and for colcon alike."""

from xml.etree import ElementTree

from setuptools import find_packages, setup

setup(
    name="scenemind",
    version=ElementTree.parse("package.xml").findtext("version"),
    description="Memory and reasoning over 3D scenes for robots with an RGB-D camera.",
    license="Apache-2.0",
    maintainer="SceneMind maintainers",
    maintainer_email="maintainers@scenemind.dev",
    python_requires=">=3.10,<3.15",
    packages=find_packages(include=["scenemind", "scenemind.*"]),
    package_data={
        "": [
            "py.typed",
            "**/*.txt",
            "**/*.npz",
            "**/*.yaml",
            "**/*.json",
            "**/*.css.j2",
            "**/*.css",
            "**/*.js",
            "**/*.html.j2",
            "**/*.svg.j2",
        ],
    },
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/scenemind"]),
        ("share/scenemind", ["package.xml", "LICENSE"]),
    ],
    zip_safe=False,
    install_requires=[
        "httpx2>=2.12",
        "jinja2>=3.1",
        "lz4>=4.3",
        "markupsafe>=2.1",
        "numpy>=1.26",
        "onnxruntime>=1.17",
        "openai>=3.30",
        "opencv-python-headless>=4.8",
        # pydantic-monty looks for it with every call; in vain that costs a question 2 ms.
        "opentelemetry-api>=1.20",
        "pydantic>=2.8",
        "pydantic-monty==1.4.0",
        "PyYAML>=6.0",
        "rapidfuzz>=3.6",
        "rich>=13",
        "rosbags>=0.11.9,<0.12",
        "scipy>=1.11",
        "typer>=0.12",
        "typing-extensions>=4.5",
    ],
    extras_require={
        "openvino": ["openvino>=2024.4"],
        # YOLO-World, YOLOE and their text encoders; AGPL-3.0. ONNX writes exported models.
        "ultralytics": [
            "lap>=0.5.12",
            "onnx>=1.16",
            "open-clip-torch>=2.24",
            "torch>=2.10",
            "torchvision>=0.25",
            "ultralytics-opencv-headless>=8.4.190",
        ],
        # Metric depth of plain photographs.
        "depth": [
            "huggingface-hub>=1.0",
            "safetensors>=0.4",
            "torch>=2.2",
            "torchvision>=0.17",
            "transformers>=5.0",
        ],
        # Masks from boxes; the encoder of MobileSAM is in the extra `ultralytics`. ONNX writes
        # exported models. In older torches a file made for it runs code although it is read as
        # weights only (CVE-2025-32434, CVE-2026-24747).
        "segment": ["onnx>=1.16", "segment-anything>=1.0", "torch>=2.10", "torchvision>=0.25"],
        # BLEU, ROUGE-L, METEOR and CIDEr of answers; its tokenizer and METEOR need Java.
        "eval": ["pycocoevalcap>=1.2"],
        "graph": ["networkx>=3.2"],
        # Surfaces and registration. On x86 Linux `open3d` brings CUDA, 400 MB.
        "geometry3d": [
            "open3d-cpu>=0.20; sys_platform == 'linux' and platform_machine == 'x86_64'",
            "open3d>=0.20; sys_platform != 'linux' or platform_machine != 'x86_64'",
        ],
        # Benchmarks on a cluster.
        "ray": ["ray>=2.10"],
        # Drives Chromium, where `bench view` counts pictures.
        "browser": ["playwright>=1.50"],
        # The browser view. The others come with viser; `bench view` speaks to it by them.
        "view": ["msgspec>=0.18", "viser>=1.1.1", "websockets>=13", "zstandard>=0.22"],
        "dev": [
            "hypothesis>=6.100",
            "mypy>=1.10",
            "networkx>=3.2",
            "pre-commit>=3.7",
            "py-trees>=2.2",
            "pytest>=8.0",
            "pytest-rerunfailures>=16",
            "pytest-xdist>=3.6",
            "ruff>=0.6",
            "trimesh>=4.0",
        ],
    },
    entry_points={"console_scripts": ["scenemind = scenemind.cli.main:main"]},
)
