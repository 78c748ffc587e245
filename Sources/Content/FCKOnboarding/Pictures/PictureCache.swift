/// The pictures that were used last, up to 32 MB of pixels (dossier, section 5).
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
