#include <algorithm>
#include <map>
#include <string>
#include <vector>
int main() {
    std::map<std::string, std::vector<int>> all;
    for (int i = 0; i < 300; i++) all[std::to_string(i % 17)].push_back(i * 7919 % 1000);
    int sum = 0;
    for (auto &one : all) {
        std::sort(one.second.begin(), one.second.end(), [](int a, int b) { return a % 97 < b % 97; });
        sum += one.second.front();
    }
    return sum == 0;
}
