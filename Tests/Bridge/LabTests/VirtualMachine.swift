import Foundation

/// Tests of this target run only inside the lab's virtual machine, which `Tests/Lab/run` starts.
enum VirtualMachine {
  static let isInside = ProcessInfo.processInfo.environment["TESSERA_LAB"] == "vm"
}
