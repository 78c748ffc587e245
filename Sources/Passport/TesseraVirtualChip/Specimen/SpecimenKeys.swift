internal import CTesseraOpenSSL
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

extension SpecimenKeys {
  /// The RSA key of a test authority as a new `EVP_PKEY`. It has 2048 bits and the public exponent 65537.
  static func issuingRSA(_ holder: IssuingKey.Holder) throws -> OpaquePointer {
    let (first, second) = try primes(of: holder)
    guard let first = [UInt8](hexadecimal: first), let second = [UInt8](hexadecimal: second) else {
      throw CryptographyError.malformed("a prime")
    }
    let (p, q, exponent) = (try BigNumber(first), try BigNumber(second), try BigNumber(65_537))
    let one = try BigNumber(1)
    let order = try p.subtracting(one).multiplied(by: q.subtracting(one))
    let privateExponent = try ModularArithmetic(order).inverse(exponent)

    guard let numbers = RSA_new() else { throw CryptographyError.openSSL("RSA_new") }
    defer { RSA_free(numbers) }
    // The RSA object owns the numbers once they are set.
    let owned = [try p.multiplied(by: q), exponent, privateExponent, p, q].map { BN_dup($0.pointer) }
    guard RSA_set0_key(numbers, owned[0], owned[1], owned[2]) == 1, RSA_set0_factors(numbers, owned[3], owned[4]) == 1,
      let key = EVP_PKEY_new()
    else { throw CryptographyError.openSSL("building an RSA key") }
    guard EVP_PKEY_set1_RSA(key, numbers) == 1 else {
      EVP_PKEY_free(key)
      throw CryptographyError.openSSL("EVP_PKEY_set1_RSA")
    }
    return key
  }

  private static func primes(of holder: IssuingKey.Holder) throws -> (String, String) {
    switch holder {
    case .countrySigner:
      (
        "FA5C779D1DABDB5516DE778154ECC643AD748642AC72B5F17B0B80B291EA7390F252D60A8147A4AED31C2BA5920F8BE4"
          + "249749E1A352C157A78B670553C3B1A236DCC150090DC0CF9F6E4D1B6C8C195B65F942C4EA57B7E14898D472AC1AC9A0"
          + "A53A886BC19E06FD121589314D9FA19CFEC36B158EBAC7599064EC5588E4036D",
        "F5EA3100025194184E93612226933F2CA61906961C2B869427016F050A18F2AD7977781A975728FE71BFC0AFD04CE2CF"
          + "EEB44E6B610EB6C70C5E5AA2349099C3C457C27993F01E494A110AF99E6E92C23617EABE4802D7F79D3A401AC5E79D61"
          + "413599E48B5A6CFFEE6B57A2983C8362D76BE7585F1AC4F481B90E293764BCC3"
      )
    case .otherCountrySigner:
      (
        "D799C725F852C1524308F4DDD65E40BBA74DB60AABDBB280F5FE593D1D40787FCE7F9D0E70156CBBBB48498D61154E9C"
          + "1CAD53A10BB9B452C1E8185FB69EFAE05B804EEF2E7B89345425D0F93E75A6484306F9DE112F4FD715D3D876FBDA07B5"
          + "EDB313C407AE625291177F2C86807F59FAE171780BDBB582739248C9A76C71B7",
        "BFD455238604E56C06A7D7D90E16356289095381B0F6EEFC354FD49E8F234E2DE9F8AB3CA2C862D259E1A8673B28AC13"
          + "31A0A1C85D3294FCB9A2DAE3E144C67EA90EBBE267770ECAF9012C1C59573486BF5143E4BA178703C2B929DBE517FC10"
          + "E3729144A6BBB533F80BE324420A875C64170DE55D1B97BAAC3DB7BDE4A32CE3"
      )
    case .documentSigner:
      (
        "D37ECB004F64F75D02028DAA31D77AFBA9667E942F7B318BB325033B98300F22F8A7FD462F3421C02EACA017D27C95F4"
          + "397F3EEFCF8C8333CD1E5C9921667BC96F2E2122E7F308C92D8DB6D69B4225C49C2A05DFB39F80C80D57BB71D906EEEB"
          + "108A0AE9E926A10CC97F541CC650BC6329F56FD76EEFA2F18B581E1B3926A2FF",
        "C93C8ECE1F7AEDD7DA5C75DCC86D2C50D761EEE4CE330601FA9958B8125340E9E60FA8061C788A2AD670EEB47F6442B3"
          + "392AC7EE915AB2CC4759F785A3D56BA66D53B3660B5228E0C1C677A5019A8290CF1305E5FC688FBDDBF45C6F8D4E8450"
          + "74FF6A8CE9D136A2109E23319CF4E4962AD9D1885629DD6F58C7EA174423BB4B"
      )
    case .masterListSigner:
      (
        "C17678AD8596094584049CF8C8E05C935162A7154E333678A90BBFA80099A795F4503DBF1BC5ACAC99683D4448FFFEB8"
          + "22CDB08792F724D020158191252893A91F8D54EAE67B1ED5E6A9330A178C0B8911062D41DAA75A655CB88BCDD50A60C5"
          + "3A3F191D096BCF9600C0DC18A0B7E299A35303A95A83E46E75336182E2DF8DB3",
        "B92DC715FB43E55FD1E107F83B8A2540D6E1E985FF12732E523D0B13A000D5241FA9E44173FA969CE5D6C4D32B66EC02"
          + "7DF801BA7509A3A62340C7757E882D1B994FFEEED2723C9963F5F280F0CD93C48A621E4DCDCEB54592DB7902E5EE71FA"
          + "96A7F8A9E5958865BC88E146445C7E0FB9BD25E525821952E39CAC9594EAB2FF"
      )
    // Seals have signatures of elliptic curves only.
    case .barcodeSigner, .nonConstrainedSigner:
      throw CryptographyError.unsupported("an RSA key of \(holder.rawValue)")
    }
  }
}
