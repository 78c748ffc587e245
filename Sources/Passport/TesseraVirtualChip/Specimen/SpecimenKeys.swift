import TesseraCryptography
import TesseraSmartCard

/// The private keys of the specimens. They are public, derived from published texts or printed here, and must not be
/// trusted.
enum SpecimenKeys {
  /// A private key in a group.
  static func exponent(_ name: String, in group: any AgreementGroup) throws -> [UInt8] {
    try group.exponent(of: longNumber(name))
  }

  /// A number between 1 and the order less one, as long as the order.
  static func exponent(_ name: String, order: [UInt8]) throws -> [UInt8] {
    let limit = try BigNumber(order).subtracting(1)
    let reduced = try ModularArithmetic(limit).reduce(BigNumber(longNumber(name)))
    return try reduced.adding(BigNumber(1)).bytes(count: order.count)
  }

  /// 128 bytes, longer than the order of any curve.
  private static func longNumber(_ name: String) throws -> [UInt8] {
    try (0..<2).flatMap {
      try HashAlgorithm.sha512.digest(of: Array("Tessera specimen \(name) \($0), not a secret".utf8))
    }
  }

  static func chipAuthentication(_ offer: ChipAuthenticationOffer, isClone: Bool) throws -> [UInt8] {
    let name = "Chip Authentication \(offer.parameters.identifier) \(offer.keyIdentifier ?? 0)"
    return try exponent(name + (isClone ? " of a clone" : ""), in: offer.parameters.group())
  }

  static func mapping(_ parameters: AgreementParameters, isClone: Bool) throws -> [UInt8] {
    let name = "Chip Authentication Mapping \(parameters.identifier)"
    return try exponent(name + (isClone ? " of a clone" : ""), in: parameters.group())
  }

  static func activeAuthentication(_ parameters: AgreementParameters, isClone: Bool) throws -> [UInt8] {
    let name = "Active Authentication \(parameters.identifier)"
    return try exponent(name + (isClone ? " of a clone" : ""), in: parameters.group())
  }

  /// An RSA key; its public exponent is 65537.
  struct RSA {
    let modulus: [UInt8]
    let privateExponent: [UInt8]

    /// `SubjectPublicKeyInfo`.
    var publicKeyInfo: [UInt8] {
      let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
      let key = DERBytes.sequence(DERBytes.integer(modulus), DERBytes.integer(65_537))
      return DERBytes.sequence(
        DERBytes.sequence(DERBytes.objectIdentifier(rsaEncryption), [0x05, 0x00]), DERBytes.bitString(key))
    }
  }

  /// - Parameter bits: 1024 or 2048.
  static func rsa(bits: Int) throws -> RSA {
    guard let key = [1024: rsa1024, 2048: rsa2048][bits], let modulus = [UInt8](hexadecimal: key.0),
      let exponent = [UInt8](hexadecimal: key.1)
    else { throw CryptographyError.unsupported("an RSA key of \(bits) bits") }
    return RSA(modulus: modulus, privateExponent: exponent)
  }

  private static let rsa1024 = (
    "EA20F49D725A5708C42C613EFAA751A370E0294042C6FC225D84ACC0D03D2295E92020F784DF2E5631A67D3FF92314E8"
      + "3269E351684946D5572C46105B3CCE144B2180A1C873A1CF8D31C89FD670652B4F8032FC79C390623669A3343B433731"
      + "2520281884F031EBF8D0CC4EDE363B9F514B63FC71CACD3664370432FF90DAD7",
    "4247AC183A7C3AB15F9FD4B3D88FAF7BDE83870A0B1D7BD95AB22999B819E6859BE69D8E94CDFDB726FD23EE0D609215"
      + "9DD7FE2358AB8DE2ED77BA29FD3A3C7855860E4AA342BE1B61237EA36A20F291510532409FF49B981979C19FB49036D3"
      + "492236DFF5EE58958B39ACFDA1280CCB5912B6E701544B0698DF761629232C61"
  )

  private static let rsa2048 = (
    "96E805553EC8F7B54EE849871D8DF98D580CC6207B0519D1C1DC20863741F7E7454E1A76EBAA566608F30F70BCB36284"
      + "95032A76890830C1B01092E247C0C424BA2227EDE2F86BA9E5212B5E6C66D2CAB02A57CF8EAF1859940C9A1971E607E7"
      + "90559956F2F84AFE20EE5D2C44E1B0EF49BBA6995CF6585862787C7DAC5E7575C2993AB7D894263C80B65E18F9BFFE50"
      + "2396552E6EF3FB5E7E8FAD285DDC2FA157DE74E073FBD1D4758216D5E9C30251437F330913424528281CA838D4A14DAE"
      + "365AF868518EDDFDFD055AF3E41B61883E1081D01C694EA1D1B0C50DB5FCA3860B26F2B413F91345B99050C616E3AE95"
      + "27A3F5BF7B88056E818723BA7D0F6969",
    "010AC25C55B4B1CD85D401B64E0310ABC965922F2A7BA27E0C832FD2CEC4CA4DFAFAFDCB5FD7CDE50264BA4631240C77"
      + "105284A62BA3FBB68A02929F147782C08DABFB7504DB3F5EBD95D7C207C88326079177F32CBFD85B52FE98C84F9D3D8F"
      + "FB92F468D1809B2A4B7C2B36C96ACFB681494B4E80620A420C5105C160E7089382EA6EA5CAD8A7F7AFB224754503393A"
      + "0A099DD7864E67FE86315A2EC70F8EF08EFDAF5E3E05936FECF7DB5A58FD6700E1B0CC6908D0A89FE6FD139122018F25"
      + "DC76477607030A500D7BC3389B588DE2A4E231080CCB6F13BE84AB87186B9A83E408C72ED92120D56E36A25085E648E6"
      + "681612F51E96A779F26C107EC9F1C7B1"
  )
}
