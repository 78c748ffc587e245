/// A large value behind a reference. What holds it then has one reference to copy instead of every field of the value, and
/// the code that copies it is short.
@propertyWrapper
package struct Indirect<Value> {
  fileprivate indirect enum Box {
    case value(Value)
  }

  private var box: Box

  package init(wrappedValue: Value) {
    box = .value(wrappedValue)
  }

  package var wrappedValue: Value {
    get {
      switch box {
      case .value(let value): value
      }
    }
    set { box = .value(newValue) }
  }
}

extension Indirect: Sendable where Value: Sendable {}
extension Indirect.Box: Sendable where Value: Sendable {}
