package import TesseraHTTPClient
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
