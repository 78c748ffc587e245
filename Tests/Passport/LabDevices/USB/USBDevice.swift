/// A USB device in software. Each device is a separate type in a file beside this one.
public protocol USBDevice: Sendable {
  var description: USBDescription { get }

  /// Handles a control request of a class or a vendor.
  ///
  /// - Returns: The response, empty for a request without one; nil for a stall.
  func control(_ setup: USBSetup, _ data: [UInt8]) -> [UInt8]?

  /// Receives data of a bulk or interrupt transfer.
  ///
  /// - Parameter answer: Sends data to the host on an IN endpoint, immediately or later.
  func receive(
    _ data: [UInt8], endpoint: UInt8, answer: @escaping @Sendable (_ data: [UInt8], _ endpoint: UInt8) -> Void)
}

extension USBDevice {
  public func control(_ setup: USBSetup, _ data: [UInt8]) -> [UInt8]? { nil }
}

/// The eight bytes of a control request (USB 2.0, 9.3).
public struct USBSetup: Sendable {
  public let requestType: UInt8
  public let request: UInt8
  public let value: UInt16
  public let index: UInt16
  public let length: UInt16

  /// - Parameter bytes: Exactly eight bytes.
  init(_ bytes: ArraySlice<UInt8>) {
    let bytes = Array(bytes)
    func word(_ at: Int) -> UInt16 { UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8 }
    requestType = bytes[0]
    request = bytes[1]
    value = word(2)
    index = word(4)
    length = word(6)
  }

  /// Whether it is a standard request.
  var isStandard: Bool { requestType & 0x60 == 0 }
}

/// The descriptors of a device with one configuration and one interface.
public struct USBDescription: Sendable {
  public struct Endpoint: Sendable {
    /// With the direction in bit 7: 0x81 goes to the host.
    let address: UInt8
    /// 2 bulk, 3 interrupt.
    let kind: UInt8

    public static func bulk(_ address: UInt8) -> Endpoint { Endpoint(address: address, kind: 2) }
    public static func interrupt(_ address: UInt8) -> Endpoint { Endpoint(address: address, kind: 3) }
  }

  public var vendor: UInt16
  public var product: UInt16
  public var name: String
  /// Class, subclass and protocol of the interface.
  public var interfaceClass: (UInt8, UInt8, UInt8)
  /// The class descriptors, between that of the interface and those of its endpoints.
  public var classDescriptor: [UInt8]
  public var endpoints: [Endpoint]

  public init(
    vendor: UInt16, product: UInt16, name: String, interfaceClass: (UInt8, UInt8, UInt8) = (0xFF, 0xFF, 0xFF),
    classDescriptor: [UInt8] = [], endpoints: [Endpoint]
  ) {
    self.vendor = vendor
    self.product = product
    self.name = name
    self.interfaceClass = interfaceClass
    self.classDescriptor = classDescriptor
    self.endpoints = endpoints
  }

  /// USB 2.0, 9.6.1.
  var device: [UInt8] {
    [18, 1, 0x00, 0x02, 0, 0, 0, 64] + Self.little(vendor) + Self.little(product) + [0x00, 0x01, 1, 2, 0, 1]
  }

  /// USB 2.0, 9.6.3, 9.6.5 and 9.6.6.
  var configuration: [UInt8] {
    let (kind, subclass, proto) = interfaceClass
    let interface = [9, 4, 0, 0, UInt8(truncatingIfNeeded: endpoints.count), kind, subclass, proto, 0]
    let ends = endpoints.flatMap { [7, 5, $0.address, $0.kind, 64, 0, $0.kind == 3 ? 10 : 0] as [UInt8] }
    let rest = interface + classDescriptor + ends
    return [9, 2] + Self.little(UInt16(truncatingIfNeeded: 9 + rest.count)) + [1, 1, 0, 0x80, 50] + rest
  }

  /// USB 2.0, 9.6.7.
  func string(_ index: UInt8) -> [UInt8]? {
    let text: [UInt8]
    switch index {
    case 0: text = [0x09, 0x04]  // English
    case 1: text = "Tessera Lab".utf16.flatMap(Self.little)
    case 2: text = name.utf16.flatMap(Self.little)
    default: return nil
    }
    return [UInt8(truncatingIfNeeded: text.count + 2), 3] + text
  }

  private static func little(_ word: UInt16) -> [UInt8] { [UInt8(word & 0xFF), UInt8(word >> 8)] }
}
