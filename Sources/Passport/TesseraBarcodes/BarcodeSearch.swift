internal import CTesseraBarcodes
import TesseraPictures

/// The search for symbols in one picture, at several sizes.
struct BarcodeSearch {
  /// The most pixels of a frame: 1920 x 1200.
  private static let frame = 2_304_000
  /// The most pixels that are searched at once.
  private static let mostPixels = 16_000_000
  /// The least side of a picture that is searched: a symbol with its margin is not smaller at 2 pixels a module.
  private static let leastSide = 40
  /// The angles at which a PDF417 symbol is looked for: libzxing itself turns by right angles, and reads what slants by
  /// three degrees.
  private static let slants = stride(from: 5, through: 85, by: 5)
  /// The most pixels of a picture that is turned.
  private static let turned = 5_000_000

  private let library: BarcodeLibrary
  private let effort: BarcodeReader.Effort
  private let formats: Set<Barcode.Format>
  private let limits: BarcodeLimits
  private let mostTime: Duration
  private var found = FoundBarcodes()
  private var time = Duration.zero
  /// Why a part of the picture was not searched; nil if all of it was.
  private var problem: BarcodeError?

  init(
    _ library: BarcodeLibrary, _ effort: BarcodeReader.Effort, _ formats: Set<Barcode.Format>,
    limits: BarcodeLimits = BarcodeLimits(), mostTime: Duration? = nil
  ) {
    self.library = library
    self.effort = effort
    self.formats = formats
    self.limits = limits
    self.mostTime = mostTime ?? Self.mostTime(effort)
  }

  /// The time of the processor after which no further search begins. libzxing needs some 20 ms for a million pixels,
  /// but 1.6 s if they are filled with starts of PDF417 symbols.
  private static func mostTime(_ effort: BarcodeReader.Effort) -> Duration {
    effort == .slantingPicture ? .seconds(6) : .seconds(2)
  }

  /// What was found. Nothing that was found is an error unless all of the picture was searched.
  ///
  /// - Throws: `BarcodeError`, except `missingLibrary`.
  func result() throws(BarcodeError) -> [Barcode] {
    guard found.barcodes.isEmpty else { return found.barcodes }
    if found.hasPart { throw .partOfSeveral }
    if let problem { throw problem }
    return []
  }

  /// - Throws: `BarcodeError.noProcess`.
  mutating func run(_ picture: GrayPicture) throws(BarcodeError) {
    var sizes = [picture]
    while let last = sizes.last, min(last.width, last.height) >= 2 * Self.leastSide, let half = last.halved() {
      sizes.append(half)
      if half.width * half.height < Self.frame / 16 { break }
    }
    for index in order(of: sizes) {
      guard hasTime else { return }
      try look(sizes[index], formats) { Barcode.Corner(x: $0 << index, y: $1 << index).clamped(to: picture) }
      if isFinished { return }
    }
    guard effort == .slantingPicture, formats.contains(.pdf417) else { return }
    try lookSlanting(sizes, picture)
  }

  private var isFinished: Bool { found.hasSeal || found.isFull || Task.isCancelled }

  /// Whether another search may begin; the first one always may.
  private var hasTime: Bool {
    mutating get {
      guard time > .zero, time >= mostTime else { return true }
      problem = problem ?? .tookTooLong
      return false
    }
  }

  /// The sizes in the order of the search: that of a frame, smaller ones, which take little time, and larger ones.
  private func order(of sizes: [GrayPicture]) -> [Int] {
    let start = Self.largest(sizes, upTo: Self.frame)
    let smaller = Array(sizes.indices[start...])
    guard effort != .frame else { return Array(smaller.prefix(2)) }
    let larger = sizes.indices[..<start].reversed().prefix { sizes[$0].width * sizes[$0].height <= Self.mostPixels }
    return smaller + Array(larger)
  }

  /// The number of the largest size that has at most so many pixels.
  private static func largest(_ sizes: [GrayPicture], upTo pixels: Int) -> Int {
    sizes.firstIndex { $0.width * $0.height <= pixels } ?? sizes.count - 1
  }

  private mutating func lookSlanting(_ sizes: [GrayPicture], _ picture: GrayPicture) throws(BarcodeError) {
    let scale = Self.largest(sizes, upTo: Self.turned)
    for angle in Self.slants {
      guard hasTime else { return }
      guard let turned = TurnedPicture(sizes[scale], degrees: angle) else { return }
      try look(turned.picture, [.pdf417]) { x, y in
        let corner = turned.original(x, y)
        return Barcode.Corner(x: corner.x << scale, y: corner.y << scale).clamped(to: picture)
      }
      if isFinished { return }
    }
  }

  /// - Parameter corner: the place in the picture of a place in this one.
  private mutating func look(
    _ picture: GrayPicture, _ formats: Set<Barcode.Format>, corner: (Int, Int) -> Barcode.Corner
  ) throws(BarcodeError) {
    var used: UInt64 = 0
    defer { time += .microseconds(used) }
    var received = ReceivedBarcodes()
    let result = picture.withPixels { pixels in
      guard let address = pixels.baseAddress else { return TESSERA_BARCODE_FAILED }
      var request = tessera_barcode_request(
        pixels: address, width: Int32(picture.width), height: Int32(picture.height), stride: Int32(picture.width),
        formats: formats.reduce(0) { $0 | $1.code }, most_symbols: Int32(BarcodeReader.mostSymbols))
      var limits = limits.values
      return withUnsafeMutablePointer(to: &received) { received in
        tessera_barcodes_read(
          library.pointer, &request, &limits,
          { $1.assumingMemoryBound(to: ReceivedBarcodes.self).pointee.add($0.pointee) }, received, &used)
      }
    }
    found.add(received, corner)
    switch result {
    case TESSERA_BARCODE_COMPLETE: break
    case TESSERA_BARCODE_NO_PROCESS: throw .noProcess
    case TESSERA_BARCODE_TOOK_TOO_LONG: problem = problem ?? .tookTooLong
    default: problem = problem ?? .failed
    }
  }
}

/// What the search at one size, or the making of a symbol, may take.
struct BarcodeLimits: Sendable {
  /// Of the processor.
  var processorSeconds: UInt32 = 3
  /// On the clock, on a busy machine, too.
  var clock = Duration.seconds(30)
  /// In bytes. A picture of 16 million pixels takes 60 MB.
  var memory: UInt64 = 512 << 20

  var values: tessera_barcode_limits {
    let (seconds, attoseconds) = clock.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    return tessera_barcode_limits(
      processor_seconds: processorSeconds, clock_milliseconds: UInt32(clamping: milliseconds), memory_bytes: memory)
  }
}

/// What libzxing hands over for one size, each content once.
struct ReceivedBarcodes {
  var barcodes: [Barcode] = []
  var hasPart = false

  fileprivate mutating func add(_ barcode: tessera_barcode) {
    guard !barcode.is_part else {
      hasPart = true
      return
    }
    guard let format = Barcode.Format.allCases.first(where: { $0.code == barcode.format }), let bytes = barcode.bytes,
      (1...BarcodeReader.mostBytes).contains(barcode.count), barcodes.count < BarcodeReader.mostSymbols
    else { return }
    let content = Array(UnsafeBufferPointer(start: bytes, count: barcode.count))
    guard !barcodes.contains(where: { $0.format == format && $0.bytes == content }) else { return }
    let place = barcode.corners
    let corners = [(place.0, place.1), (place.2, place.3), (place.4, place.5), (place.6, place.7)]
    barcodes.append(
      Barcode(
        format: format, bytes: content, isText: barcode.is_text,
        corners: corners.map { Barcode.Corner(x: Int($0.0), y: Int($0.1)) }))
  }
}

/// The symbols of a picture at all sizes.
struct FoundBarcodes {
  private(set) var barcodes: [Barcode] = []
  private(set) var hasPart = false
  private(set) var hasSeal = false

  var isFull: Bool { barcodes.count >= BarcodeReader.mostSymbols }

  mutating func add(_ received: ReceivedBarcodes, _ corner: (Int, Int) -> Barcode.Corner) {
    hasPart = hasPart || received.hasPart
    for barcode in received.barcodes where !isFull {
      // The same symbol at another size.
      guard !barcodes.contains(where: { $0.format == barcode.format && $0.bytes == barcode.bytes }) else { continue }
      barcodes.append(
        Barcode(
          format: barcode.format, bytes: barcode.bytes, isText: barcode.isText,
          corners: barcode.corners.map { corner($0.x, $0.y) }))
      hasSeal = hasSeal || barcode.isWholeSeal
    }
  }
}

extension Barcode.Format {
  /// The number of `tessera_barcode_format`.
  var code: UInt32 {
    switch self {
    case .aztec: TESSERA_BARCODE_AZTEC.rawValue
    case .dataMatrix: TESSERA_BARCODE_DATA_MATRIX.rawValue
    case .pdf417: TESSERA_BARCODE_PDF417.rawValue
    case .qrCode: TESSERA_BARCODE_QR_CODE.rawValue
    }
  }
}

extension Barcode.Corner {
  fileprivate func clamped(to picture: GrayPicture) -> Barcode.Corner {
    Barcode.Corner(x: min(max(x, 0), picture.width - 1), y: min(max(y, 0), picture.height - 1))
  }
}
