import CTesseraWebKitGTK
package import TesseraHTTPClient
import TesseraPictures
import TesseraThreads

/// Loads the pictures of flows, each address once at a time.
@MainActor
package final class PictureLoader {
  private let transport: any HTTPTransport
  private var cache = PictureCache()
  private var loading: [String: Task<FlowPicture?, Never>] = [:]
  private let budget: PictureBudget
  private let slots = LoadingSlots(4)
  /// One picture is decoded at a time.
  private let decoding = BlockingWork(name: "fck-pictures")

  /// - Parameter memory: of all pictures that are shown or kept, in bytes of pixels.
  package init(transport: any HTTPTransport, memory: Int = PictureBudget.standard) {
    self.transport = transport
    budget = PictureBudget(memory)
  }

  /// The picture, if it is there already.
  func cached(_ address: String) -> FlowPicture? { cache.picture(address) }

  /// The picture of an address; nil if it is not https, cannot be loaded or decoded, or is larger than the limits.
  func picture(_ address: String) async -> FlowPicture? {
    if let picture = cache.picture(address) { return picture }
    if let task = loading[address] { return await task.value }
    let task = Task { [transport, decoding, budget, slots] in
      await slots.run { await Self.load(address, transport, decoding, budget) }
    }
    loading[address] = task
    let picture = await task.value
    loading[address] = nil
    if let picture { cache.insert(picture, address) }
    return picture
  }

  /// Whether there is a picture at the address, for tests.
  package func isLoadable(_ address: String) async -> Bool { await picture(address) != nil }

  private nonisolated static func load(
    _ text: String, _ transport: any HTTPTransport, _ decoding: BlockingWork, _ budget: PictureBudget
  ) async -> FlowPicture? {
    guard let address = try? HTTPSAddress(text) else { return nil }
    var request = HTTPRequest(address, sizeLimit: PictureFile.sizeLimit, timeLimit: .seconds(30))
    request.redirects = .anyHost
    guard let bytes = try? await transport.body(of: request) else { return nil }
    return try? await decoding.run {
      FlowPicture(decoding: try PictureFile(bytes), in: budget)
    }
  }
}

/// A decoded picture of a flow.
///
/// `@unchecked`: GTK's textures cannot be changed, and their count of references is atomic.
final class FlowPicture: @unchecked Sendable {
  /// A `GdkTexture`.
  let texture: OpaquePointer
  /// The bytes of the pixels.
  let cost: Int
  private let budget: PictureBudget

  /// Decodes a file. Blocks.
  ///
  /// - Returns: nil if the file is damaged, or if there is no room in the budget.
  init?(decoding file: PictureFile, in budget: PictureBudget) {
    guard budget.take(file.decodedSize) else { return nil }
    let bytes = file.bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    defer { g_bytes_unref(bytes) }
    var error: UnsafeMutablePointer<GError>?
    let texture = gdk_texture_new_from_bytes(bytes, &error)
    g_clear_error(&error)
    guard let texture else {
      budget.give(file.decodedSize)
      return nil
    }
    self.texture = texture
    self.budget = budget
    cost = file.decodedSize
  }

  deinit {
    g_object_unref(gpointer(texture))
    budget.give(cost)
  }
}

/// Lets a few tasks go on at once. The others wait for their turn.
@MainActor
final class LoadingSlots {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  func run<Result: Sendable>(_ body: @MainActor () async -> Result) async -> Result {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
    let result = await body()
    // The next one takes over the place.
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    return result
  }
}

/// The memory of all pictures that are shown or kept. A flow can name thousands of pictures.
package final class PictureBudget: Sendable {
  /// In bytes of pixels.
  package static let standard = 256 << 20
  private let limit: Int
  private let used = Locked(0)

  /// - Parameter limit: in bytes of pixels.
  init(_ limit: Int = standard) { self.limit = limit }

  /// - Returns: whether there was room.
  func take(_ size: Int) -> Bool {
    used.withLock { used in
      guard used + size <= limit else { return false }
      used += size
      return true
    }
  }

  func give(_ size: Int) { used.withLock { $0 -= size } }
}

/// The pictures that were used last, up to 32 MB of pixels.
struct PictureCache {
  static let limit = 32 << 20
  private var pictures: [String: FlowPicture] = [:]
  /// The addresses, the one that was used last at the end.
  private var order: [String] = []
  private(set) var cost = 0

  /// The picture of an address, which is then the one that was used last.
  mutating func picture(_ address: String) -> FlowPicture? {
    guard let picture = pictures[address] else { return nil }
    order.removeAll { $0 == address }
    order.append(address)
    return picture
  }

  /// Keeps a picture, unless it is larger than the whole cache.
  mutating func insert(_ picture: FlowPicture, _ address: String) {
    guard pictures[address] == nil, picture.cost <= Self.limit else { return }
    while cost + picture.cost > Self.limit, !order.isEmpty {
      cost -= pictures.removeValue(forKey: order.removeFirst())?.cost ?? 0
    }
    pictures[address] = picture
    order.append(address)
    cost += picture.cost
  }

  var count: Int { pictures.count }
}

/// A picture file that was received, before it is decoded: whether its header stays within the limits.
struct PictureFile {
  /// The bytes of the largest file.
  static let sizeLimit = 5 << 20
  /// The longest side, in pixels.
  static let longestSide = 4096
  /// The bytes of the largest decoded picture: the longest sides with four bytes a pixel.
  static let decodedLimit = longestSide * longestSide * 4
  /// A progressive JPEG repeats its pixels in scans. A small file can have thousands of them.
  static let mostScans = 100

  enum Problem: Error, Equatable {
    /// Neither PNG nor JPEG.
    case format
    /// Larger than a limit.
    case tooLarge
    case header
  }

  let bytes: [UInt8]
  /// The bytes of the decoded picture.
  let decodedSize: Int

  /// - Throws: `Problem`.
  init(_ bytes: [UInt8]) throws(Problem) {
    guard bytes.count <= Self.sizeLimit else { throw .tooLarge }
    let header: ImageHeader
    do {
      header = try ImageHeader(bytes)
    } catch {
      switch error {
      case .unknownFormat, .unsupported: throw .format
      case .truncated, .malformed: throw .header
      }
    }
    guard header.format == .png || header.format == .jpeg else { throw .format }
    let size = header.size
    guard size.width <= Self.longestSide, size.height <= Self.longestSide,
      // Eight bits take one byte, sixteen take two.
      size.width * size.height * max(3, header.components) * ((header.bitsPerComponent + 7) / 8) <= Self.decodedLimit,
      header.format == .png || Self.scans(of: bytes) <= Self.mostScans
    else { throw .tooLarge }
    self.bytes = bytes
    decodedSize = size.width * size.height * 4 * ((header.bitsPerComponent + 7) / 8)
  }

  /// The number of start-of-scan markers. In the data of a scan, a byte FF is never followed by DA (ITU-T T.81,
  /// B.1.1.5).
  private static func scans(of bytes: [UInt8]) -> Int {
    var count = 0
    var isMarker = false
    for byte in bytes {
      if isMarker, byte == 0xDA { count += 1 }
      isMarker = byte == 0xFF
    }
    return count
  }
}
