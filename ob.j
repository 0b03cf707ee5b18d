{
  "status": 1,
  "error": {
    "file": "ffb.onnx",
    "node": null,
    "message": "cannot read ffb.onnx: No such file or directory"
  },
  "target": "siracusa-500",
  "name": "ffb",
  "match": false,
  "max_abs_diff": null,
  "cycles": -1
}

