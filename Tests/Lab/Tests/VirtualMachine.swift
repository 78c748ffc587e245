import Foundation

/// Where the tests of this target can run: inside the lab's virtual machine, which `Tests/Lab/run` starts.
enum VirtualMachine {
  static let isInside = ProcessInfo.processInfo.environment["TESSERA_LAB"] == "vm"
}
