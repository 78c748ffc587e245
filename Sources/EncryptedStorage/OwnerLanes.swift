import Threads

/// Some threads for work that blocks, of which every owner has one: what one owner makes wait seldom makes another wait.
struct OwnerLanes: Sendable {
  private let lanes: [BlockingWork]

  init(_ count: Int, name: String) { lanes = (0..<count).map { _ in BlockingWork(name: name) } }

  subscript(owner: EntryOwner) -> BlockingWork { lanes[Int(UInt(bitPattern: owner.hashValue) % UInt(lanes.count))] }
}
