import Tessera
import TesseraCommandLine

/// Scans pictures. What one leaves open, the others of the same document may decide, as the frames of a camera do.
struct PictureScan: Sendable {
  let paths: [String]
  let isJSON: Bool

  /// The most other pictures that have a say about one.
  private static let mostOthers = 16

  private enum Sight {
    case reading(MRZReading)
    case failure(Failure)

    /// A zone that is not decided.
    var isOpen: Bool {
      guard case .reading(let reading) = self else { return false }
      return reading.zone == nil && reading.state == .zone
    }

    var zoneReading: MRZReading? {
      guard case .reading(let reading) = self, reading.state == .zone else { return nil }
      return reading
    }
  }

  /// Writes what the pictures show, in their order. A picture that shows nothing does not end the scan.
  ///
  /// - Returns: the exit status.
  /// - Throws: `Failure` if standard output cannot be written; `CancellationError`.
  func run() throws -> Int32 {
    let reader = MRZReader()
    var sights: [Sight] = []
    var status: Int32 = 0
    var written = 0
    for path in paths {
      sights.append(try Self.sight(path, reader))
      // The pictures after an open one may decide it.
      while written < sights.count, sights.count == paths.count || !sights[written].isOpen {
        try Task.checkCancellation()
        status = max(status, try write(written, sights))
        written += 1
      }
    }
    return status
  }

  private static func sight(_ path: String, _ reader: MRZReader) throws -> Sight {
    do {
      let data = try InputFile(path: path).read(upTo: 64 << 20)
      let picture: GrayPicture
      do {
        picture = try GrayPicture(decoding: data)
      } catch {
        throw Failure(
          .usage, "\(path) is not a picture that Tessera reads: \(error.failure.cause)",
          remedy: error.remedyForFile)
      }
      try Task.checkCancellation()
      let reading = reader.read(picture)
      try Task.checkCancellation()
      return .reading(reading)
    } catch let failure as Failure {
      return .failure(failure)
    }
  }

  private func write(_ index: Int, _ sights: [Sight]) throws -> Int32 {
    let path = paths[index]
    let image = paths.count > 1 ? path : nil
    switch sights[index] {
    case .failure(let failure): return ErrorOutput.report(failure, asJSON: isJSON)
    case .reading(let reading):
      let (zone, candidates) = Self.decide(reading, others: Self.others(of: index, sights))
      if let zone {
        try StandardOutput.write(MRZOutput(zone, image: image).text(asJSON: isJSON))
        return 0
      }
      if let open = UndecidedZone(candidates) {
        return try UndecidedZoneOutput(source: path, image: image, zone: open).report(asJSON: isJSON)
      }
      return ErrorOutput.report(reading.failure(in: path), asJSON: isJSON)
    }
  }

  // MARK: - Votes

  /// The readings of the other pictures that show a zone, the nearest ones in the order of the pictures.
  private static func others(of index: Int, _ sights: [Sight]) -> [MRZReading] {
    let nearest = sights.indices.filter { $0 != index }.sorted { abs($0 - index) < abs($1 - index) }
    return Array(nearest.compactMap { sights[$0].zoneReading }.prefix(mostOthers))
  }

  private static func decide(
    _ reading: MRZReading, others: [MRZReading]
  ) -> (zone: RecognizedZone?, candidates: [MRZCandidate]) {
    if let zone = reading.zone { return (zone, []) }
    guard reading.state == .zone else { return (nil, []) }
    // A vote begins anew with a picture of another document, and this one alone decides nothing.
    for other in others where other.zone != nil {
      var vote = ZoneVote()
      _ = vote.add(other)
      if let zone = vote.add(reading) { return (zone, []) }
    }
    var vote = ZoneVote()
    _ = vote.add(reading)
    for other in others {
      var joined = vote
      let zone = joined.add(other)
      if let zone, other.zone == nil { return (zone, []) }
      // After a picture of another document, its candidates would be all.
      guard joined.candidates != other.candidates else { continue }
      if let zone { return (zone, []) }
      vote = joined
    }
    return (nil, vote.candidates)
  }
}

extension MRZReading {
  /// Why a picture gives no zone.
  fileprivate func failure(in path: String) -> Failure {
    let (cause, remedy) =
      switch state {
      case .noText, .text:
        (
          "\(path) shows no machine readable zone.",
          "Photograph the page with the two or three lines of letters and \"<\" from above, all of it in the picture."
        )
      case .oneLine:
        (
          "\(path) shows only one line of a machine readable zone.",
          "Photograph the page again, with all lines in the picture."
        )
      case .zone:
        (
          "\(path) shows a machine readable zone, but not clearly enough to be sure of every character.",
          "Photograph the page again: nearer, sharp, without reflections."
        )
      }
    return Failure(.noZone, cause, remedy: remedy)
  }
}
