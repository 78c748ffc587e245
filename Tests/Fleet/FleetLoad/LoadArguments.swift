import TesseraCore

/// The arguments of the program: a command and its operands, in their order.
struct LoadArguments {
  let command: String
  private let operands: [String]

  init(_ arguments: some Collection<String>) {
    command = arguments.first ?? ""
    operands = Array(arguments.dropFirst())
  }

  /// - Throws: `Failure` of the kind `usage` if there is no such operand.
  func text(_ position: Int, _ name: String) throws -> String {
    guard operands.indices.contains(position) else { throw Failure(.usage, "\(command) requires \(name).") }
    return operands[position]
  }

  /// The operands from this one on; there may be none.
  func texts(from position: Int) -> [String] { Array(operands.dropFirst(position)) }

  /// - Throws: `Failure` of the kind `usage` if the operand is no number from 0 to 10 million.
  func number(_ position: Int, _ name: String, default value: Int? = nil) throws -> Int {
    if let value, !operands.indices.contains(position) { return value }
    guard let number = Int(try text(position, name)), 0...10_000_000 ~= number else {
      throw Failure(.usage, "\(name) must be a number.")
    }
    return number
  }
}
