/* SPDX-License-Identifier: BSD-3-Clause */
/* Words: errors, methods, reasons, counters. */
#include <errno.h>
#include "http_message.h"
#include "http_priv.h"

const char *
http_error_text(enum http_error e)
{
	static const char *const text[HTTP_E_N] = {
		[HTTP_E_NONE] = "no error",
		[HTTP_E_STATUS_LINE] = "no HTTP/1.x status line",
		[HTTP_E_VERSION] = "HTTP version is not 1.x",
		[HTTP_E_FIELD_NAME] = "bad field name or line without colon",
		[HTTP_E_FIELD_SPACE] = "blank before the colon of a field",
		[HTTP_E_FIELD_BYTE] = "bare CR or control byte in a line",
		[HTTP_E_OBS_FOLD] = "folded field line",
		[HTTP_E_LENGTH] = "bad or repeated Content-Length",
		[HTTP_E_CODING] = "Transfer-Encoding not taken",
		[HTTP_E_CHUNK_SIZE] = "bad chunk-size line",
		[HTTP_E_CHUNK_END] = "chunk data not followed by CRLF",
		[HTTP_E_TOO_LARGE] = "header section or line too large",
		[HTTP_E_TOO_MANY] = "too many fields or interim replies",
		[HTTP_E_EXTRA] = "bytes before the start line",
		[HTTP_E_SWITCH] = "101 Switching Protocols without being asked",
		[HTTP_E_METHOD] = "bad method",
		[HTTP_E_TARGET] = "bad request-target",
		[HTTP_E_HOST] = "Host missing, repeated or bad",
		[HTTP_E_BARE_LF] = "line ended by LF alone",
	};

	return (unsigned int)e < HTTP_E_N ? text[e] : "unknown error";
}

static const char *const methods[] = {
	[HTTP_GET] = "GET",
	[HTTP_HEAD_METHOD] = "HEAD",
	[HTTP_POST] = "POST",
	[HTTP_PUT] = "PUT",
	[HTTP_DELETE] = "DELETE",
	[HTTP_OPTIONS] = "OPTIONS",
	[HTTP_CONNECT] = "CONNECT",
	[HTTP_TRACE] = "TRACE",
	[HTTP_PATCH] = "PATCH",
};

const char *
http_method_text(enum http_method m)
{
	return (unsigned int)m < ARRAY_LEN(methods) ? methods[m] : "OTHER";
}

int
http_method_parse(const char *s, enum http_method *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (strcmp(s, methods[i]) == 0) {
			*m = (enum http_method)i;
			return 0;
		}
	}
	while (http_is((uint8_t)s[n], HTTP_C_TOKEN))
		n++;
	if (n == 0 || n > HTTP_METHOD_MAX || s[n] != '\0')
		return -EINVAL;
	*m = HTTP_METHOD_OTHER;
	return 0;
}

static const struct {
	uint16_t status;
	const char *text;
} reasons[] = {
	{100, "Continue"},
	{101, "Switching Protocols"},
	{102, "Processing"},
	{103, "Early Hints"},
	{200, "OK"},
	{201, "Created"},
	{202, "Accepted"},
	{203, "Non-Authoritative Information"},
	{204, "No Content"},
	{205, "Reset Content"},
	{206, "Partial Content"},
	{300, "Multiple Choices"},
	{301, "Moved Permanently"},
	{302, "Found"},
	{303, "See Other"},
	{304, "Not Modified"},
	{305, "Use Proxy"},
	{307, "Temporary Redirect"},
	{308, "Permanent Redirect"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{402, "Payment Required"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{406, "Not Acceptable"},
	{407, "Proxy Authentication Required"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{410, "Gone"},
	{411, "Length Required"},
	{412, "Precondition Failed"},
	{413, "Content Too Large"},
	{414, "URI Too Long"},
	{415, "Unsupported Media Type"},
	{416, "Range Not Satisfiable"},
	{417, "Expectation Failed"},
	{421, "Misdirected Request"},
	{422, "Unprocessable Content"},
	{426, "Upgrade Required"},
	{428, "Precondition Required"},
	{429, "Too Many Requests"},
	{431, "Request Header Fields Too Large"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{504, "Gateway Timeout"},
	{505, "HTTP Version Not Supported"},
	{511, "Network Authentication Required"},
};

const char *
http_reason(uint16_t status)
{
	for (uint32_t i = 0; i < ARRAY_LEN(reasons); i++) {
		if (reasons[i].status == status)
			return reasons[i].text;
	}
	return "Unknown";
}

const struct counter_desc http_counter_descs[] = {HTTP_COUNTERS(COUNTER_DESC)};
const uint32_t http_n_counter_descs = ARRAY_LEN(http_counter_descs);
