"""Report descriptors in hexadecimal: those of real devices, and others with the fields that a driver requires. Each one
names its source."""

# 257 bytes over USB, as recorded in hid-tools 0.12 (hidtools/device/sony_gamepad.py, PS5ControllerUSB).
DUALSENSE = bytes.fromhex(
    "05010905a1018501093009310932093509330934150026ff007508950681020600ff09209501810205010939150025073500463b01651475"
    "0495018142650005091901290f150025017501950f81020600ff0921950d81020600ff0922150026ff0075089534810285020923952f9102"
    "850509239528b10285080924952fb102850909249513b102850a0925951ab10285200926953fb102852109279504b10285220940953fb102"
    "85800928953fb10285810929953fb1028582092a9509b1028583092b953fb1028584092c953fb1028585092d9502b10285a0092e9501b102"
    "85e0092f953fb10285f00930953fb10285f10931953fb10285f20932950fb102c0"
)

# 507 bytes over USB, as recorded in hid-tools 0.12 (hidtools/device/sony_gamepad.py, PS4ControllerUSB).
DUALSHOCK_4 = bytes.fromhex(
    "05010905a10185010930093109320935150026ff007508950481020939150025073500463b016514750495018142650005091901290e1500"
    "25017501950e81020600ff0920750695011500257f8102050109330934150026ff007508950281020600ff09219536810285050922951f91"
    "02850409239524b102850209249524b102850809259503b102851009269504b102851109279502b10285120602ff0921950fb10285130922"
    "9516b10285140605ff09209510b10285150921952cb1020680ff858009209506b102858109219506b102858209229505b102858309239501"
    "b102858409249504b102858509259506b102858609269506b102858709279523b10285880928953fb102858909299502b102859009309505"
    "b102859109319503b102859209329503b10285930933950cb10285940934953fb10285a009409506b10285a109419501b10285a209429501"
    "b10285a309439530b10285a40944950db10285f00947953fb10285f10948953fb10285f20949950fb10285a7094a9501b10285a8094b9501"
    "b10285a9094c9508b10285aa094e9501b10285ab094f9539b10285ac09509539b10285ad0951950bb10285ae09529501b10285af09539502"
    "b10285b00954953fb10285e009579502b10285b30955953fb10285b40955953fb10285b50956953fb10285d00958953fb10285d40959953f"
    "b102c0"
)

# 148 bytes over USB, as recorded in hid-tools 0.12 (hidtools/device/sony_gamepad.py, PS3Controller).
DUALSHOCK_3 = bytes.fromhex(
    "05010904a101a102850175089501150026ff00810375019513150025013500450105091901291381027501950d0600ff8103150026ff0005"
    "010901a10075089504350046ff0009300931093209358102c0050175089527090181027508953009019102750895300901b102c0a1028502"
    "750895300901b102c0a10285ee750895300901b102c0a10285ef750895300901b102c0c0"
)

# Not recorded: the reports of the Switch's controllers that hid-nintendo reads and sends, by their numbers and
# lengths (dekuNukem/Nintendo_Switch_Reverse_Engineering, bluetooth_hid_notes.md): state 0x30, answer 0x21, command
# 0x01, motors 0x10.
NINTENDO = bytes.fromhex(
    "05010905a1010600ff"
    "8521092175089530810285300930750895308102"
    "8501090175089530910285100910750895309102"
    "c0"
)

# The reports of a Wii remote by their numbers and lengths (WiiBrew, "Wiimote"): 0x10 to 0x1A to it, 0x20 to 0x3F from
# it.
WII = bytes.fromhex("05010905a1010600ff150026ff007508") + b"".join(
    bytes((0x85, number, 0x95, length, 0x09, 0x01, 0x91 if number < 0x20 else 0x81, 0x02))
    for number, length in (
        (0x10, 1), (0x11, 1), (0x12, 2), (0x13, 1), (0x14, 1), (0x15, 1), (0x16, 21), (0x17, 6), (0x18, 21),
        (0x19, 1), (0x1A, 1), (0x20, 6), (0x21, 21), (0x22, 4), (0x30, 2), (0x31, 5), (0x32, 10), (0x33, 17),
        (0x34, 21), (0x35, 21), (0x36, 21), (0x37, 21), (0x3D, 21), (0x3E, 21), (0x3F, 21),
    )
) + b"\xc0"

# Not recorded: the sticks and buttons of an Xbox Wireless Controller over Bluetooth (report 1), and the report 3 with
# the levels of four motors, which hid-microsoft sends (Linux, drivers/hid/hid-microsoft.c, struct xb1s_ff_report).
XBOX_BLUETOOTH = bytes.fromhex(
    "05010905a1018501"
    "0901a10009300931150027ffff0000950275108102c0"
    "0901a10009320935150027ffff0000950275108102c0"
    "05091901290f150025017501950f810215002500750195018103"
    "050f0921a1028503099715002501750495019102150025007504950191030970150025647508950491020950"
    "660110550e150026ff0075089501910209a7150026ff0075089501910265005500097c150026ff00750895019102c0c0"
)

# Not recorded: a DragonRise gamepad: sticks, hat, twelve buttons and seven bytes to its motors; field by field what
# hid-dr reads (Linux, drivers/hid/hid-dr.c).
DRAGONRISE = bytes.fromhex(
    "05010904a101a10275089505150026ff00350046ff00093009300930093009318102"
    "750495012507463b0165140939814265007501950c2501450105091901290c8102"
    "0600ff750195082501450109018102c0a1027508950746ff0026ff0009029102c0c0"
)

# Not recorded: a Pantherlord or GreenAsia gamepad: sticks, buttons and four bytes to its motors (Linux,
# drivers/hid/hid-pl.c).
PANTHERLORD = bytes.fromhex(
    "05010904a101a10275089504150026ff00350046ff0009320935093009318102"
    "750195102501450105091901291081020600ffc0a1027508950446ff0026ff0009029102c0c0"
)


def _item(tag, value, size=None):
    """A short item (HID 1.11, 6.2.2.2)."""
    size = size or (1 if -128 <= value < 128 or tag & 0xC == 8 and value < 256 else 2 if value < 32768 else 4)
    return bytes((tag | {1: 1, 2: 2, 4: 3}[size],)) + (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def _value(usage, bits, low, high, kind, count=1):
    return (_item(0x08, usage, 2) + _item(0x14, low) + _item(0x24, high) + _item(0x34, low) + _item(0x44, high)
            + _item(0x74, bits) + _item(0x94, count) + bytes((kind | 1, 2)))


def _choice(usage, choices, kind):
    """A value that is one of these usages, counted from 1."""
    return (_item(0x08, usage, 2) + b"\xa1\x02" + b"".join(_item(0x08, choice, 2) for choice in choices)
            + _item(0x14, 1) + _item(0x24, len(choices)) + _item(0x34, 1) + _item(0x44, len(choices))
            + b"\x75\x08\x95\x01" + bytes((kind | 1, 0)) + b"\xc0")


def _report(usage, number, *fields):
    return _item(0x08, usage, 2) + b"\xa1\x02\x85" + bytes((number,)) + b"".join(fields) + b"\xc0"


_OUT, _FEATURE = 0x90, 0xB0
_WAVES = 0x26, 0x27, 0x30, 0x31, 0x32, 0x33, 0x34


def _index(kind):
    return _value(0x22, 8, 1, 40, kind)


def _word(usage, high=0x7FFF, low=0):
    return _value(usage, 16, low, high, _OUT)


def _time(usage):
    """Milliseconds: seconds (unit 0x1003) by 10 to the power of -3."""
    return b"\x66\x03\x10\x55\x0d" + _word(usage) + b"\x55\x00\x65\x00"


# Not recorded: a wheel with one axis and the reports of the Device Class Definition for Physical Interface Devices
# 1.0 (usages in its appendix A) that hid-pidff requires (Linux, drivers/hid/usbhid/hid-pidff.c): constant force, ramp
# and five waves.
WHEEL = b"".join((
    bytes.fromhex("05010904a1018509093016018026ff7f75109501810205091901290825011500750195088102"),
    b"\x05\x0f",
    _report(
        0x21, 1, _index(_OUT), _choice(0x25, _WAVES, _OUT), _time(0x50), _time(0x54), _value(0x52, 8, 0, 255, _OUT),
        _value(0x53, 8, 1, 8, _OUT),
        # The direction along the first axis, an ordinal (usage page 0x0A).
        _item(0x08, 0x57, 2) + b"\xa1\x02\x0b\x01\x00\x0a\x00\x15\x00" + _item(0x24, 255) + b"\x35\x00"
        + _item(0x44, 360) + b"\x75\x08\x95\x01\x91\x02\xc0",
        _value(0x56, 8, 0, 1, _OUT), _time(0xA7)),
    _report(0x5A, 2, _index(_OUT), _word(0x5B), _word(0x5D), _time(0x5C), _time(0x5E)),
    _report(0x6E, 4, _index(_OUT), _word(0x70), _word(0x6F, low=-0x7FFF), _word(0x71), _time(0x72)),
    _report(0x73, 5, _index(_OUT), _word(0x70, low=-0x7FFF)),
    _report(0x74, 6, _index(_OUT), _word(0x75, low=-0x7FFF), _word(0x76, low=-0x7FFF)),
    _report(0x77, 10, _index(_OUT), _choice(0x78, (0x79, 0x7A, 0x7B), _OUT), _value(0x7C, 8, 0, 255, _OUT)),
    _report(0x90, 11, _index(_OUT)),
    _report(0x95, 12, _choice(0x96, (0x97, 0x98, 0x99, 0x9A, 0x9B, 0x9C), _OUT)),
    _report(0x7D, 13, _value(0x7E, 8, 0, 255, _OUT)),
    _report(0xAB, 17, _choice(0x25, _WAVES, _FEATURE)),
    _report(
        0x89, 18, _index(_FEATURE), _choice(0x8B, (0x8C, 0x8D, 0x8E), _FEATURE), _value(0xAC, 16, 0, 0x7FFF, _FEATURE)),
    _report(
        0x7F, 19, _value(0x80, 16, 0, 0x7FFF, _FEATURE), _value(0x83, 8, 0, 0x7F, _FEATURE),
        _value(0xA9, 8, 0, 1, _FEATURE)),
    b"\xc0",
))
