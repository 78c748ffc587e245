import FCKOnboardingFlow
import Testing

@testable import FCKOnboarding

/// Where the children of a stack are.
@Suite("the arrangement of a stack")
struct ArrangementTests {
  private typealias Item = StackArrangement.Item

  @Test(
    "each distribution puts what is left at its place",
    arguments: [
      (.start, [0, 20, 50]), (.center, [20, 40, 70]), (.end, [40, 60, 90]), (.spaceBetween, [0, 40, 90]),
      (.spaceAround, [6, 40, 83]), (.spaceEvenly, [10, 40, 80]),
    ] as [(FlowStack.Distribution, [Int])])
  func distributions(_ distribution: FlowStack.Distribution, _ offsets: [Int]) {
    // 10 + 20 + 10 and two gaps of 10 leave 40 of 100.
    let items = [10, 20, 10].map { Item(minimum: 0, natural: $0) }
    let places = StackArrangement(items, available: 100, spacing: 10, distribution: distribution).places
    #expect(places.map(\.offset) == offsets)
    #expect(places.map(\.length) == [10, 20, 10])
  }

  @Test("children that fill share what is left, and nothing is distributed")
  func filling() {
    let items = [
      Item(minimum: 0, natural: 10), Item(minimum: 0, natural: 20, fills: true),
      Item(minimum: 0, natural: 5, fills: true),
    ]
    let places = StackArrangement(items, available: 100, spacing: 0, distribution: .spaceEvenly).places
    #expect(places.map(\.length) == [10, 52, 38])
    #expect(places.map(\.offset) == [0, 10, 62])
  }

  @Test("children give in proportion to their lengths, but not below their minimum")
  func shrinking() {
    func lengths(_ items: [Item], _ available: Int) -> [Int] {
      StackArrangement(items, available: available, spacing: 0, distribution: .start).places.map(\.length)
    }
    let items = [Item(minimum: 0, natural: 300), Item(minimum: 0, natural: 100)]
    #expect(lengths(items, 200) == [150, 50])
    let stiff = [Item(minimum: 0, natural: 300), Item(minimum: 90, natural: 100)]
    #expect(lengths(stiff, 200) == [110, 90])
    // There is no room: the minimums stay, and the stack is too long.
    let full = [Item(minimum: 50, natural: 60), Item(minimum: 70, natural: 80)]
    #expect(lengths(full, 10) == [50, 70])
    #expect(lengths([], 10) == [])
  }
}
