/*-------------------------------------------------------------------------
 *
 * test_pii.c
 *	  Personal data in one text: examples of docs/redact_pii.md, and random texts
 *	  against regular expressions.
 *
 * The other formulation of the grammars is one POSIX regular expression for each
 * kind, tried at each place of the text, longest first; what an expression cannot
 * say, checksums and ranges, is written out plainly.
 *
 * IDENTIFICATION
 *	  test/unit/test_pii.c
 *
 *-------------------------------------------------------------------------
 */
#include <regex.h>

#include "rowfn/pii.h"
#include "test_common.h"

/* The same with one look. */
static void
check_one_look(const char *text, int32_t len, int32_t kinds, const char *want, int64_t want_bytes)
{
	RowfnPiiScan scan = rowfn_pii_begin(text, len, kinds);
	RowfnPiiMatch match;
	char	   *out;

	if (!rowfn_pii_next(&scan, &match))
	{
		CHECK(want_bytes == len && memcmp(text, want, (size_t) len) == 0, "\"%.*s\" is changed", len, text);
		return;
	}
	out = malloc(2 * (size_t) len);
	CHECK(rowfn_pii_write_from(&scan, &match, out, 2 * (int64_t) len) == want_bytes &&
		  memcmp(out, want, (size_t) want_bytes) == 0, "\"%.*s\" with one look", len, text);
	free(out);
}

/* Redact from and into exact allocations, so that ASan sees a byte too many. */
static char *
redact(const char *text, int32_t len, int32_t kinds, int64_t *bytes)
{
	char	   *t = malloc((size_t) len + 1);
	char	   *out;

	/* move both to the end of their allocations */
	memcpy(t + 1, text, (size_t) len);
	*bytes = rowfn_pii_bytes(t + 1, len, kinds);
	CHECK(*bytes >= 0 && *bytes <= 2 * (int64_t) len + 8, "%lld bytes of %d", (long long) *bytes, len);
	out = malloc((size_t) *bytes + 1);
	rowfn_pii_write(t + 1, len, kinds, out + 1, *bytes);
	check_one_look(t + 1, len, kinds, out + 1, *bytes);
	free(t);
	return out;
}

static void
example(const char *text, const char *want)
{
	int64_t		bytes;
	char	   *out = redact(text, (int32_t) strlen(text), ROWFN_PII_ALL, &bytes);

	CHECK(bytes == (int64_t) strlen(want) && memcmp(out + 1, want, (size_t) bytes) == 0,
		  "\"%s\": \"%.*s\", not \"%s\"", text, (int) bytes, out + 1, want);
	free(out);
}

/* Each stays as it is. */
static void
unchanged(const char *text)
{
	example(text, text);
}

static void
test_examples(void)
{
	example("", "");
	example("mail bob@example.com or call (415) 555-2671", "mail [EMAIL] or call [PHONE]");
	example("bob.smith+tag@mail.example.co.uk.", "[EMAIL].");
	example("<a@b.cd>, 'x_1@y-z.org'", "<[EMAIL]>, '[EMAIL]'");
	example("?to=bob@example.com&x", "?to=[EMAIL]&x");
	example("..bob@example.com", "..[EMAIL]");
	example("a@b@example.com", "a@[EMAIL]");
	example("a@b.com@c.org", "[EMAIL]@c.org");
	example("bob@xn--bcher-kva.example", "[EMAIL]");
	example("bob@example.com-", "[EMAIL]-");
	example("bob@example.com_4111111111111111", "[EMAIL]_4111111111111111");
	example("bob@example.com.5", "[EMAIL].5");
	example("\303\251bob@example.com\303\251", "\303\251[EMAIL]\303\251");
	unchanged("bob@localhost, @example.com, bob@, bob@.com, bob@example.c, root@10.0.0");
	unchanged("jos\303\251@example.com bob@-x.com bob@x-.com bob@x..com");
	example("root@10.0.0.1", "root@[IPV4]");
	test_done("email");

	example("card 4111111111111111, 4111 1111 1111 1111 4111-1111-1111-1111", "card [CARD], [CARD] [CARD]");
	example("378282246310005 3782 822463 10005 30569309025904 6011111111111117 180016070420458 630427373398",
			"[CARD] [CARD] [CARD] [CARD] [CARD] [CARD]");
	example("4111 1111 1111 1111 12/29", "[CARD] 12/29");
	example("\346\261\2374111111111111111\346\261\237", "\346\261\237[CARD]\346\261\237");
	unchanged("4111111111111112 41111111111111111111 a4111111111111111 4111111111111111a 0.4111111111111111");
	unchanged("4111111111111111.50 4111-1111 1111-1111 411 1111 1111 11111 1700000000000 9111111111111111");
	example("1.4111 1111 1111 1111.", "1.4111 1111 1111 1111.");
	test_done("card");

	example("from 10.0.0.1:80, 255.255.255.255/32; 0.0.0.0.", "from [IPV4]:80, [IPV4]/32; [IPV4].");
	example("10.0.0.1-10.0.0.9 http://127.0.0.1/ a/10.1.2.3", "[IPV4]-[IPV4] http://[IPV4]/ a/[IPV4]");
	unchanged("1.2.3 1.2.3.4.5 1.2.3.256 1.2.3.4a v1.2.3.4 1.2.3.4444 1..2.3.4");
	test_done("ipv4");

	example("::1 fe80::1 2001:db8:0:0:0:0:0:1 1:2:3:4:5:6:7:: ::ffff:10.0.0.1", "[IPV6] [IPV6] [IPV6] [IPV6] [IPV6]");
	example("[2001:DB8::abcd]:80 fe80::1%eth0 fe80::1: fe80:: abcd:ef01:2345:6789:abcd:ef01:2345:6789",
			"[[IPV6]]:80 [IPV6]%eth0 [IPV6]: [IPV6] [IPV6]");
	example("1:2:3:4:5:6:10.0.0.1", "[IPV6]");
	unchanged("12:34:56 :: dead::beef Feed::add x::1 1::2::3 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 12345::1 ::12345");
	unchanged(":::1 1:::2 1:2:3:4:5:6:7:8:: ::1.5 1::x 00:1A:2B:3C:4D:5E ::1g");
	example("1:2:3:4:5:6:7:10.0.0.1 1::2::10.0.0.1", "1:2:3:4:5:6:7:[IPV4] 1::2::[IPV4]");
	test_done("ipv6");

	example("GB82WEST12345698765432 gb82 west 1234 5698 7654 32 is", "[IBAN] [IBAN] is");
	example("DE89370400440532013000,NO9386011117947 MT84MALT011000012345MTLCAST001S", "[IBAN],[IBAN] [IBAN]");
	unchanged("GB82WEST12345698765433 GB82WEST1234569876543 GB82WEST123456987654321 XX82WEST12345698765432");
	unchanged("GB82  WEST 1234 5698 7654 32 GB82 WEST12345698765432 GB82WEST 1234 5698 7654 32 _GB82WEST12345698765432");
	test_done("iban");

	example("ssn 078-05-1120, 078 05 1120.", "ssn [SSN], [SSN].");
	unchanged("000-12-3456 666-12-3456 900-12-3456 123-00-4567 123-45-0000 123-45 6789 1-123-45-6789 123-45-6789-0");
	unchanged("123-45-67890 a123-45-6789 123456789 123--45-6789 12.123-45-6789");
	test_done("ssn");

	example("(415) 555-2671 (415)555-2671 415-555-2671 415.555.2671 415 555 2671 1-415-555-2671 1 (415) 555-2671",
			"[PHONE] [PHONE] [PHONE] [PHONE] [PHONE] [PHONE] [PHONE]");
	example("+14155552671 +1 (415) 555-2671, +46 (0)8 928 571 38 +41 (0)96 471 07 95 +447700 921 916",
			"[PHONE] [PHONE], [PHONE] [PHONE] [PHONE]");
	example("415-555-2671x4587 +1-604-696-5272x565. tel(415) 555-2671", "[PHONE] [PHONE]. tel[PHONE]");
	example("+14155552671 12abc", "[PHONE] 12abc");
	example("+1 415 555 2671 415 555 2671 +1 415 555 2671 20", "[PHONE] [PHONE] [PHONE] 20");
	example("+49 30 123456 415.555.2671 +49 30 12345678 123abc", "[PHONE] [PHONE] [PHONE] 123abc");
	example("+49 30 12345678 411 1111 1111 1111", "[PHONE] 1111 1111 1111");
	example("+49 30 12345678 4111 1111 1111 1111", "[PHONE] [CARD]");
	unchanged("115-555-2671 415-155-2671 415-555-267 415-555-26711 a415-555-2671 7-415-555-2671 415-555-2671-9");
	unchanged("+0123456789 +1234567 +2345678901234567 +141555526711 +1415555267 ++14155552671 a+14155552671 415-555-2671x1234567 4155552671");
	test_done("phone");

	example("415-555-2671@example.com", "[EMAIL]");
	example("1.2.3.4@example.com 4111111111111111@example.com", "[EMAIL] [EMAIL]");
	example("+14155552671@sms.com", "[PHONE]@sms.com");
	example("[EMAIL][CARD]", "[EMAIL][CARD]");
	test_done("precedence");
}

static const char *const patterns[7] = {
	"^[A-Za-z0-9_][A-Za-z0-9_%+.-]{0,63}@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\\.)+"
	"[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]",
	"^[A-Za-z]{2}[0-9]{2}([A-Za-z0-9]{11,30}|( [A-Za-z0-9]{4}){2,7} [A-Za-z0-9]{1,4})",
	"^[0-9A-Fa-f:]+(:([0-9]{1,3}\\.){3}[0-9]{1,3})?",
	"^([0-9]{1,3}\\.){3}[0-9]{1,3}",
	"^([0-9]{12,19}|([0-9]{4,} )+[0-9]+|([0-9]{4,}-)+[0-9]+)",
	"^([0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]{3} [0-9]{2} [0-9]{4})",
	"^((1[ .-])?(\\([2-9][0-9]{2}\\)[ .-]?|[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}(x[0-9]{1,6})?|"
	"\\+[1-9][0-9]*([ .-][0-9]+|([ .-]?\\([0-9]+([ .-][0-9]+)*\\))+[ .-]?[0-9]+)*"
	"(([ .-]?\\([0-9]+([ .-][0-9]+)*\\))+)?(x[0-9]{1,6})?)"
};
static regex_t compiled[7];

static int
is_word(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static int
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* Digits of [s, s + n). */
static int
count_digits(const char *s, int n)
{
	int			digits = 0;

	while (n-- > 0)
		digits += is_digit(*s++);
	return digits;
}

static int
luhn_ok(const char *s, int n)
{
	int			sum = 0;
	int			k = 0;

	while (n-- > 0)
	{
		int			d = s[n] - '0';

		if (!is_digit(s[n]))
			continue;
		if (k++ % 2 == 1)
			d *= 2;
		sum += d / 10 + d % 10;
	}
	return sum % 10 == 0;
}

/* All of the number modulo 97, digit by digit, from the fifth character on and around. */
static int
iban_ok(const char *s, int n)
{
	static const char *const some[] = {"GB22", "DE22", "NO15", "MT31", "FR27", "BE16", NULL};
	char		plain[64];
	int			len = 0;
	int			rest = 0;
	int			i;

	for (i = 0; i < n; i++)
		if (s[i] != ' ')
			plain[len++] = (char) (s[i] >= 'a' && s[i] <= 'z' ? s[i] - 32 : s[i]);
	for (i = 0; some[i] != NULL; i++)
		if (memcmp(some[i], plain, 2) == 0 && atoi(some[i] + 2) == len)
			break;
	if (some[i] == NULL)
		return 0;
	for (i = 0; i < len; i++)
	{
		int			c = plain[(i + 4) % len];
		char		number[16];
		char	   *d;

		snprintf(number, sizeof(number), "%d", is_digit(c) ? c - '0' : c - 'A' + 10);
		for (d = number; *d; d++)
			rest = (rest * 10 + *d - '0') % 97;
	}
	return rest == 1;
}

static int
quad_ok(const char *s, int n)
{
	int			part[4];
	char		copy[32];

	if (n > 15)
		return 0;
	memcpy(copy, s, (size_t) n);
	copy[n] = '\0';
	return sscanf(copy, "%d.%d.%d.%d", &part[0], &part[1], &part[2], &part[3]) == 4 &&
		part[0] < 256 && part[1] < 256 && part[2] < 256 && part[3] < 256;
}

/* Split at the ::, count what is on either side. */
static int
ipv6_ok(const char *s, int n)
{
	char		copy[64];
	char	   *twice;
	char	   *at;
	char	   *last;
	int			groups = 0;

	if (n > 45 || count_digits(s, n) == 0)
		return 0;
	memcpy(copy, s, (size_t) n);
	copy[n] = '\0';
	last = strrchr(copy, ':');
	if (last == NULL)
		return 0;
	if (strchr(copy, '.') != NULL)
	{
		if (!quad_ok(last + 1, (int) strlen(last + 1)))
			return 0;
		strcpy(last + 1, "0:0");
	}
	twice = strstr(copy, "::");
	if (twice != NULL && strstr(twice + 1, "::") != NULL)
		return 0;
	for (at = copy; *at != '\0';)
	{
		size_t		hex = strspn(at, "0123456789abcdefABCDEF");

		if (hex > 4 || (hex == 0 && at != twice))
			return 0;
		groups += hex > 0;
		at += hex;
		if (*at == '\0')
			break;
		if (at == twice)
			at += 2;
		else if (*++at == '\0')
			return 0;
	}
	return twice != NULL ? groups <= 7 : groups == 8;
}

/* The end of a match of kind k at place i, by the expression. */
static int
naive_match(const char *text, int len, int i, int k)
{
	char		copy[512];
	regmatch_t	m;
	int			before = i > 0 ? (unsigned char) text[i - 1] : 0;
	int			before2 = i > 1 ? (unsigned char) text[i - 2] : 0;
	int			most = len - i;

	if (k != 6 || text[i] != '(')
		if (is_word(before))
			return 0;
	if ((before == '.' && (k == 2 || k == 3 || k == 4 || k == 5 || (k == 6 && text[i] != '+'))) ||
		(before == '-' && (k == 5 || (k == 6 && text[i] != '+'))))
		if (is_digit(before2))
			return 0;
	if (k == 2 && before == ':')
		return 0;
	if (k == 6 && before == '+' && text[i] == '+')
		return 0;
	while (most > 0)
	{
		const char *s = text + i;
		int			n;
		int			next;
		int			next2;
		int			ok = 1;

		memcpy(copy, s, (size_t) most);
		copy[most] = '\0';
		if (regexec(&compiled[k], copy, 1, &m, 0) != 0)
			return 0;
		n = (int) m.rm_eo;
		next = i + n < len ? (unsigned char) s[n] : 0;
		next2 = i + n + 1 < len ? (unsigned char) s[n + 1] : 0;
		if (k == 0)
			ok = !(is_word(next) && next != '_');
		else if (is_word(next))
			ok = 0;
		if (k == 0 && next == '-')
		{
			int			j = n;

			while (i + j < len && s[j] == '-')
				j++;
			ok = i + j == len || !is_word((unsigned char) s[j]) || s[j] == '_';
		}
		if (k >= 2 && k <= 6 && is_digit(next2) &&
			(next == '.' || (next == '-' && k >= 5)))
			ok = 0;
		if (k == 0)
			ok = ok && n - 1 - (int) (strchr(copy, '@') - copy) <= 255;
		if (k == 1)
			ok = ok && iban_ok(s, n);
		if (k == 2)
			ok = ok && ipv6_ok(s, n) && !(next == ':' && (next2 == ':' || strchr("0123456789abcdefABCDEF", next2 ? next2 : ' ')));
		if (k == 3)
			ok = ok && quad_ok(s, n);
		if (k == 4)
			ok = ok && count_digits(s, n) >= 12 && count_digits(s, n) <= 19 && luhn_ok(s, n) &&
				((s[0] >= '2' && s[0] <= '6') || strncmp(s, "1800", 4) == 0);
		if (k == 5)
			ok = ok && s[0] != '9' && strncmp(s, "000", 3) != 0 && strncmp(s, "666", 3) != 0 &&
				strncmp(s + 4, "00", 2) != 0 && strncmp(s + 7, "0000", 4) != 0;
		if (k == 6 && *s == '+')
		{
			int			body = (int) strcspn(copy, "x");

			body = body < n ? body : n;
			ok = ok && count_digits(s, body) >= (s[1] == '1' ? 11 : 8) &&
				count_digits(s, body) <= (s[1] == '1' ? 11 : 15);
		}
		if (ok)
			return i + n;
		most = n - 1;
	}
	return 0;
}

/* Redact place by place. */
static int
naive_redact(const char *text, int len, int kinds, char *out)
{
	static const char *const names[7] = {"[EMAIL]", "[IBAN]", "[IPV6]", "[IPV4]", "[CARD]", "[SSN]", "[PHONE]"};
	int			n = 0;
	int			i = 0;

	while (i < len)
	{
		int			end = 0;
		int			k;

		for (k = 0; k < 7; k++)
			if (((kinds >> k) & 1) && (end = naive_match(text, len, i, k)) != 0)
				break;
		if (end != 0)
		{
			n += sprintf(out + n, "%s", names[k]);
			i = end;
		}
		else
			out[n++] = text[i++];
	}
	return n;
}

/* Text made of pieces that are, or nearly are, personal data. */
static int
random_text(Rng *rng, char *text, int most)
{
	static const char *const pieces[] = {
		"bob@example.com", "a@b.co", "x.y-z@q-r.st", "@", "user", "4111111111111111", "4111 1111 1111 1111", "378282246310005",
		"4111-1111", "1800", "10.0.0.1", "255.255", "1.2.3", "256", "::", "fe80", "::1", "2001:db8", "1:2:3:4:5:6:7:8", "dead:beef",
		"GB82WEST12345698765432", "GB82 WEST 1234 5698 7654 32", "NO9386011117947", "DE89", "BE68539007547034", "078-05-1120",
		"123 45 6789", "666-12-3456", "(415) 555-2671", "415-555-2671", "1-", "+1 415 555 2671", "+46 (0)8 928 571 38", "+", "(", ")",
		"x123", "x", " ", " ", " ", ".", ".", "-", "-", ":", ":", "_", "a", "f", "G", "1", "2", "4", "9", "0", "00", "123", "555", "\303\251",
		"%", "com", "\377", "\n"
	};
	int			n = 0;
	int			left = 1 + rng_below(rng, 8);

	while (left-- > 0)
	{
		const char *piece = pieces[rng_below(rng, (int32_t) (sizeof(pieces) / sizeof(pieces[0])))];
		int			bytes = (int) strlen(piece);

		if (n + bytes > most)
			break;
		memcpy(text + n, piece, (size_t) bytes);
		n += bytes;
	}

	/* now and then another byte somewhere */
	if (n > 0 && rng_one_in(rng, 3))
		text[rng_below(rng, n)] = "0123456789 .-:@+x_aF"[rng_below(rng, 20)];
	return n;
}

static void
test_random(Rng *rng)
{
	int			round;

	for (round = 0; round < test_rounds(50000); round++)
	{
		char		text[200];
		char		want[600];
		int			len = random_text(rng, text, 200);
		int			kinds = rng_one_in(rng, 3) ? 1 + rng_below(rng, ROWFN_PII_ALL) : ROWFN_PII_ALL;
		int			want_bytes = naive_redact(text, len, kinds, want);
		int64_t		bytes;
		char	   *out = redact(text, len, kinds, &bytes);

		CHECK(bytes == want_bytes && memcmp(out + 1, want, (size_t) bytes) == 0,
			  "kinds %d: \"%.*s\": \"%.*s\", not \"%.*s\"", kinds, len, text, (int) bytes, out + 1, want_bytes, want);
		free(out);
	}
	test_done("random texts against regular expressions");
}

/* Any bytes, and a text that changes between the two looks: nothing outside is touched. */
static void
test_bytes(Rng *rng)
{
	int			round;

	for (round = 0; round < test_rounds(100000); round++)
	{
		char		text[2][200];
		int			len = random_text(rng, text[0], 200);
		int			other = random_text(rng, text[1], len);
		char	   *t = malloc((size_t) len + 1);
		char	   *out;
		int64_t		bytes;
		int			i;

		for (i = 0; i < len && rng_one_in(rng, 4); i++)
			text[0][rng_below(rng, len)] = (char) rng_below(rng, 256);
		bytes = rowfn_pii_bytes(text[0], len, ROWFN_PII_ALL);
		for (i = other; i < len; i++)
			text[1][i] = text[0][i];
		memcpy(t + 1, text[1], (size_t) len);
		out = malloc((size_t) bytes + 8);
		memset(out + bytes, 0x5A, 8);
		rowfn_pii_write(t + 1, len, ROWFN_PII_ALL, out, bytes);
		for (i = 0; i < 8; i++)
			CHECK(out[bytes + i] == 0x5A, "a byte behind the answer was written");
		free(out);
		free(t);
	}
	test_done("any bytes, and bytes that change");
}

/* Time grows with the length, whatever the text: of 1 MB each. */
static void
test_long(void)
{
	static const char *const pieces[] = {"a", "1", "a.", "a@", "1.", "1 ", "4444 ", "4444-", ":", "1:", "a:", "+1", "(2", "@", "a@b.", "+1 ",
	"a@b-", "x.y+z%w-", "GB82 ", "123-45-", "a@b.co@"};
	int32_t		len = 1024 * 1024;
	char	   *text = malloc((size_t) len);
	size_t		p;

	for (p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++)
	{
		size_t		n = strlen(pieces[p]);
		clock_t		start = clock();
		int64_t		bytes;
		double		seconds;
		int32_t		i;

		for (i = 0; i < len; i++)
			text[i] = pieces[p][(size_t) i % n];
		free(redact(text, len, ROWFN_PII_ALL, &bytes));
		seconds = (double) (clock() - start) / CLOCKS_PER_SEC;
		CHECK(seconds < 10, "1 MB of \"%s\": %.1f s", pieces[p], seconds);
	}
	free(text);
	test_done("1 MB of the same");
}

int
main(void)
{
	Rng			rng;
	int			k;

	for (k = 0; k < 7; k++)
		if (regcomp(&compiled[k], patterns[k], REG_EXTENDED) != 0)
			return 2;
	test_examples();
	rng = rng_make(test_seed());
	test_random(&rng);
	test_bytes(&rng);
	test_long();
	for (k = 0; k < 7; k++)
		regfree(&compiled[k]);
	return test_exit();
}
