import Foundation
import TesseraCore

/// The monitor of the virtual machine (QEMU's QMP, one JSON object per line), reached from inside through a virtio
/// port. It plugs and unplugs devices.
public final class MachineMonitor: Sendable {
  private let port: FileDescriptor

  public init(port: String = "/dev/virtio-ports/lab.monitor") throws {
    self.port = try FileDescriptor(opening: port)
    try execute("qmp_capabilities")
  }

  /// Unplugs a device, and waits for the end of the removal.
  public func unplug(_ device: String) throws {
    try execute("device_del", ["id": device])
    while let line = line() {
      if line["event"] as? String == "DEVICE_DELETED", (line["data"] as? [String: Any])?["device"] as? String == device
      {
        return
      }
    }
  }

  /// Plugs a device in.
  public func plug(_ driver: String, id: String, bus: String, _ options: [String: String] = [:]) throws {
    try execute("device_add", options.merging(["driver": driver, "id": id, "bus": bus]) { $1 })
  }

  /// The USB reader with its slot; the card's connection remains.
  public func unplugReader() throws { try unplug("reader") }

  public func plugReader() throws {
    try plug("usb-ccid", id: "reader", bus: "usb.0")
    try plug("ccid-card-passthru", id: "slot", bus: "reader.0", ["chardev": "card"])
  }

  private func execute(_ command: String, _ arguments: [String: String] = [:]) throws {
    let request: [String: Any] = ["execute": command, "arguments": arguments]
    port.write(Array(try JSONSerialization.data(withJSONObject: request)) + [0x0A])
    while let line = line() {
      if line["return"] != nil { return }
      if let error = line["error"] as? [String: Any] {
        throw Failure(.internalError, "\(command): \(error["desc"] as? String ?? "refused")")
      }
    }
    throw Failure(.internalError, "The machine's monitor does not respond.")
  }

  private func line() -> [String: Any]? {
    var bytes: [UInt8] = []
    while let byte = port.read(exactly: 1)?.first {
      guard byte != 0x0A else {
        guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
          bytes = []
          continue
        }
        return object
      }
      bytes.append(byte)
    }
    return nil
  }
}
