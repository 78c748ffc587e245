import Tessera

/// Verifying one saved dump, from the file to the report.
enum DumpBenchmark {
  static func run(_ dumps: MeasuredDumps) throws -> [Measurement] {
    try zip(["plain", "with CA and AA"], dumps.entries).flatMap { name, entry in
      let folder = entry.file + ".folder"
      try entry.dump.write(to: folder)
      return try [("file", entry.file), ("folder", folder)].map { form, path in
        let times = try ProcessorTime.medians(
          { try MeasuredDumps.verify(path, dumps.trust) }, floor: entry.alone.run)
        return Measurement(
          "verify a saved dump, \(name), \(form)", times.ours, .milliseconds, floor: times.floor,
          of: "OpenSSL alone, digests and \(entry.alone.count) signatures")
      }
    }
  }
}
